import type { AssayClient } from '../contract/client.ts';
import type { RunResult } from '../contract/result.ts';

/** What the command line is given from outside. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Path of the launcher, and the folder it was called in. */
  script: string;
  folder: string;
  /** Home directory of the person who calls. */
  personHome: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Hears Ctrl-C, a request to end, and that the terminal was closed, instead of the process ending; the answer stops
   *  listening. */
  onInterrupt(listener: (signal: NodeJS.Signals) => void): () => void;
  /** Ends the process at once. */
  quit(exitCode: number): void;
  installation: Installation;
}

/** What the composition root can do on a data directory, each part loaded when it is asked for. */
export interface Installation {
  /** The operations in this process, as whoever owns the installation. Starts the embedded database where no other is
   *  configured. */
  open(home: string, workspace: string): Promise<InProcess>;
  /** Serves until a signal ends it, and resolves when everything is stopped. */
  serve(home: string, options: { host: string; port: number }, ready: Ready): Promise<void>;
  /** Works on runs until a signal ends it. `ready` is called when it can. */
  work(home: string, ready: () => void): Promise<void>;
  /** Speaks MCP over standard input and output until the other side hangs up. */
  speakMcp(client: AssayClient): Promise<void>;
  /** A result as JUnit XML, so that whoever has it need not read it a second time in that form. */
  junit(result: RunResult): Promise<string>;
}

/** Hears the address of a server when it serves, and the link by which somebody becomes the first admin; null: somebody
 *  can sign in. */
export type Ready = (url: string, firstAdminLink: string | null) => void;

export interface InProcess {
  client: AssayClient;
  /** Begins to work on runs. */
  work(): Promise<void>;
  /** Stops working, giving back what is not finished, and closes the database. */
  close(): Promise<void>;
}
