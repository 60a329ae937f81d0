// Writes the parts of docs/ that are made from the source: `npm run docs`.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { generatedFiles } from './docs/files.ts';
import { root } from './runtime.mjs';

for (const [file, text] of await generatedFiles(packageFile.version)) {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
  console.log(file);
}
