// Holds every import against the map in .dependency-cruiser.mjs: `node scripts/arrows.mjs [folder of a checkout]`.
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { Visitor } from '@swc/core/Visitor.js';
import { cruise } from 'dependency-cruiser';
import map from '../.dependency-cruiser.mjs';
import { root } from './runtime.mjs';
import { nodesOf } from './syntax.ts';

const checkout = path.resolve(process.argv[2] ?? root);
const places = ['src', 'web', 'test', 'bench', 'scripts'].filter((place) =>
  existsSync(path.join(checkout, place)),
);
const files = places.flatMap((place) => globSync(`${place}/**/*.{ts,tsx,mjs}`, { cwd: checkout })).sort();

teachUsing();
const { enhancedResolveOptions, ...options } = map.options;
const { output } = await cruise(
  places,
  { ...options, baseDir: checkout, validate: true, ruleSet: { forbidden: map.forbidden } },
  enhancedResolveOptions,
);
const seen = new Map(output.modules.map((module) => [module.source, module]));

const problems = [...output.summary.violations.map(sentence), ...files.flatMap(blindSpots)];
if (files.length === 0) problems.push(`${checkout} has no source file to judge`);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
const arrows = files.reduce((sum, file) => sum + (seen.get(file)?.dependencies.length ?? 0), 0);
console.log(`${files.length} files, ${arrows} imports, ${problems.length} against the map`);

function sentence({ type, rule, from, to, cycle }) {
  const { comment } = map.forbidden.find(({ name }) => name === rule.name);
  const way = type === 'cycle' ? cycle.map(({ name }) => name) : type === 'module' ? [] : [to];
  return `${[from, ...way].join(' → ')}\n    ${rule.name}: ${comment}`;
}

/** dependency-cruiser walks a file with swc's visitor, which throws on the `using` declarations that swc parses. */
function teachUsing() {
  const visitStatement = Visitor.prototype.visitStatement;
  Visitor.prototype.visitStatement = function (statement) {
    if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
    this.visitVariableDeclarators(statement.decls);
    return statement;
  };
}

/** What dependency-cruiser overlooked: whatever it does not see passes every rule. */
function blindSpots(file) {
  const found = seen.get(file);
  if (!found) return [`${file}\n    overlooked: dependency-cruiser did not read this file`];
  const known = new Set(found.dependencies.map(({ protocol = '', module }) => protocol + module));
  return [...importsOf(file)]
    .filter((name) => !known.has(name))
    .map(
      (name) =>
        `${file} → ${name}\n    overlooked: dependency-cruiser did not see this import; write it as a statement`,
    );
}

function* importsOf(file) {
  for (const { node } of nodesOf(path.join(checkout, file))) {
    if (/^(Import|ExportAll|ExportNamed)Declaration$/.test(node.type) && node.source) yield node.source.value;
    if (node.type === 'TsImportType') yield node.argument.value;
    if (node.type === 'CallExpression' && node.callee.type === 'Import') {
      const [first] = node.arguments;
      if (first?.expression.type === 'StringLiteral') yield first.expression.value;
    }
  }
}
