// Which Node runs Assay. CommonJS and built-ins only: read by any Node, before anything is installed.
'use strict';
const path = require('node:path');
const { engines } = require('../package.json');

const root = path.dirname(__dirname);

/** The Node that the set-up installs beside the dependencies where the machine's own is too old. */
const bundledNode = path.join(root, 'node_modules', '.bin', 'node');

/** The least version that runs the sources, for example `22.18`. */
const leastNode = engines.node.replace('>=', '');

/** Whether the Node that runs this process can run the sources. */
function isModern() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = leastNode.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

module.exports = { root, bundledNode, leastNode, isModern };
