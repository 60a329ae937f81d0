import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/client';

export interface LineReaders {
  message(message: JSONRPCMessage): void;
  /** A line that is no message: programs print banners and errors where only messages belong. */
  noise(line: string): void;
}

const newline = 0x0a;
/** What is kept of both ends of a line that is too long, to find the request it answers. */
const endsKept = 256;
const parseErrorCode = -32700;

interface Ends {
  head: string;
  tail: string;
}

/**
 * Cuts the output of a server into JSON-RPC messages. The work is linear in the size of the output, and no more than
 * one message is held. An answer that cannot be read, being too long or no JSON, is turned into a protocol error for
 * the request it answers, so that the call ends now and not at its time limit.
 */
export function readMessages(readers: LineReaders, maxBytes: number): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let ends: Ends | null = null;

  const take = (part: Buffer) => {
    size += part.length;
    if (size <= maxBytes) {
      parts.push(part);
      return;
    }
    if (ends === null) {
      const [first = part] = parts;
      ends = { head: first.toString('latin1', 0, endsKept), tail: '' };
      parts = [];
    }
    ends.tail = (ends.tail + part.toString('latin1', Math.max(0, part.length - endsKept))).slice(-endsKept);
  };

  const endLine = () => {
    if (ends !== null) {
      const size = `larger than ${maxBytes} bytes`;
      unreadable(ends, `it is ${size}`, `(a line ${size})`, readers);
    } else if (size > 0) readLine((parts.length === 1 ? parts[0] : Buffer.concat(parts)) as Buffer, readers);
    parts = [];
    size = 0;
    ends = null;
  };

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      take(chunk.subarray(start, end));
      endLine();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}

function readLine(bytes: Buffer, readers: LineReaders): void {
  const line = bytes.toString('utf8');
  try {
    readers.message(parseJSONRPCMessage(JSON.parse(line)));
  } catch (error) {
    // What the parser says quotes the text, which may hold a secret in part.
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : 'it is no JSON-RPC message';
    unreadable({ head: line.slice(0, endsKept), tail: line.slice(-endsKept) }, why, line, readers);
  }
}

function unreadable(ends: Ends, why: string, noise: string, readers: LineReaders): void {
  const id = answeredRequest(ends);
  if (id === null) readers.noise(noise);
  else {
    const message = `The server's answer could not be read: ${why}.`;
    readers.message({ jsonrpc: '2.0', id, error: { code: parseErrorCode, message } });
  }
}

/** The id of the request that a response answers, where one keeps it: at its beginning or its end. */
function answeredRequest({ head, tail }: Ends): number | null {
  const isResponse = (version.test(head) || version.test(tail)) && !/"method"\s*:/.test(head);
  const id = isResponse ? (idAtBeginning.exec(head)?.[1] ?? idAtEnd.exec(tail)?.[1]) : undefined;
  return id === undefined ? null : Number(id);
}

const version = /"jsonrpc"\s*:\s*"2\.0"/;
/** This client counts its requests. */
const idAtBeginning = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/;
const idAtEnd = /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
