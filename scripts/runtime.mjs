// Plain JavaScript for Node 18 and later, built-ins only: it runs before anything is installed.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundledNode, isModern } from '../bin/runtime.js';

export { bundledNode, isModern, leastNode, root } from '../bin/runtime.js';

const bin = path.dirname(bundledNode);

/** The Node to start children with: this one if it can run the sources, else the bundled one. */
export function capableNode() {
  return isModern() || !existsSync(bundledNode) ? process.execPath : bundledNode;
}

/** PATH as it is outside this checkout: without the folder that `npm ci` is about to delete. */
export function pathOfTheMachine() {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.filter((folder) => folder !== bin).join(path.delimiter);
}

/** PATH on which the bundled Node and the installed tools come first. */
export function pathOfTheProject() {
  return [bin, pathOfTheMachine()].join(path.delimiter);
}
