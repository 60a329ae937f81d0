// Plain JavaScript for Node 18 and later, built-ins only: it runs before anything is installed.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = path.join(root, 'node_modules', '.bin');

/** The Node that the set-up installs beside the dependencies where the machine's own is too old. */
export const bundledNode = path.join(bin, 'node');

/** The least Node that runs the sources, as package.json's `engines` states it. */
export function leastNode() {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
}

/** Whether the Node that runs this process can run the sources. */
export function isModern() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = leastNode().split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** The Node to start children with. The set-up has run, so it is this one or the bundled one. */
export function runtime() {
  return isModern() || !existsSync(bundledNode) ? process.execPath : bundledNode;
}

/** PATH as npm would see it outside this checkout: without the folder that `npm ci` is about to delete. */
export function pathOfTheMachine() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.filter((folder) => folder !== bin).join(path.delimiter);
}

/** PATH on which the bundled Node and the installed tools come first. */
export function pathOfTheProject() {
  return [bin, pathOfTheMachine()].join(path.delimiter);
}
