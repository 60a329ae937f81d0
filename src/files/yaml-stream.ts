import { Composer, type CST, Lexer, LineCounter, type ParsedNode, Parser } from 'yaml';
import type { ErrorDetail } from '../core/errors.ts';
import { fileLimits } from './limits.ts';

export interface ObjectFile {
  path: string;
  text: string;
}

/** A document as it was written; `lineAt` turns an offset in the file into its line, from 1. */
export interface YamlDocument {
  root: ParsedNode;
  lineAt(offset: number): number;
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: as a file writes it
const variableHint = ' (inside { } and [ ], a variable must stand in quotes: "${NAME}")';

/** The documents of a file that hold anything. A file that is no well-formed YAML gives problems and no documents. */
export function readYamlStream({ path, text }: ObjectFile): {
  documents: YamlDocument[];
  problems: ErrorDetail[];
} {
  const refused = (line: number, message: string) => ({
    documents: [],
    problems: [{ file: path, line, message }],
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > fileLimits.bytes) {
    return refused(1, `the file has ${bytes} bytes, and may have at most ${fileLimits.bytes}: split it`);
  }
  const lines = new LineCounter();
  const tokens = tokensOf(text, lines);
  if ('tooDeepAt' in tokens) {
    return refused(
      lines.linePos(tokens.tooDeepAt).line,
      `lists and objects stand more than ${fileLimits.depth} deep in each other`,
    );
  }
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const parsed = [...composer.compose(tokens, true, text.length)];
  const written = text.split('\n');
  const problems = parsed.flatMap(({ errors, warnings }) =>
    // one slip often breaks what follows it: the first of each document is the one to mend
    [...errors, ...warnings].slice(0, 1).map(({ pos, message }) => {
      const { line } = lines.linePos(pos[0]);
      const hint = written[line - 1]?.includes('${') ? variableHint : '';
      return { file: path, line, message: `is no valid YAML: ${unquoted(message)}${hint}` };
    }),
  );
  if (problems.length > 0) return { documents: [], problems };
  return {
    documents: parsed
      .map(({ contents }) => contents)
      .filter((root) => root !== null)
      .filter((root) => !isEmpty(root))
      .map((root) => ({ root, lineAt: (offset: number) => lines.linePos(offset).line })),
    problems,
  };
}

/** What the library says without the text that it found: a secret that stands in no quotes may be taken for a tag. */
function unquoted(message: string): string {
  return message.replace(/(Unresolved tag|extra characters): .*/s, '$1 (such a text must stand in quotes)');
}

/** The depth is watched while the parser goes on, because what comes after it would overflow the stack. */
function tokensOf(text: string, lines: LineCounter): CST.Token[] | { tooDeepAt: number } {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    // the stack also holds the document and the value that is being read
    if (parser.stack.length > fileLimits.depth + 2) return { tooDeepAt: parser.offset };
  }
  tokens.push(...parser.end());
  return tokens;
}

function isEmpty(root: ParsedNode): boolean {
  return 'value' in root && root.value === null && root.source === '';
}
