/** By these files in the data directory a command finds the server that runs on it, and may speak to it as whoever owns
 *  the installation. */
export const runningServerFile = 'serve.json';
export const operatorTokenFile = 'operator-token';

/** What `runningServerFile` says while a server runs. */
export interface RunningServer {
  pid: number;
  /** Without a slash at its end. */
  url: string;
}

/** Names the workspace (URI-encoded name, or id) that a request means; absent: `defaultWorkspace`. */
export const workspaceHeader = 'assay-workspace';
export { defaultWorkspace } from '../core/first-workspaces.ts';
