// Which folder may know which: the map of the house. `scripts/arrows.mjs` holds every file against it.

/** Folder of src → the other folders that its files may import. A folder that is not named here fails. */
const MAY_KNOW = {
  core: [],
  contract: ['core'],
  store: ['core'],
  net: ['core'],
  files: ['core'],
  models: ['core', 'net'],
  tools: ['core', 'net'],
  agents: ['core', 'net'],
  workflow: ['core', 'net'],
  engine: ['core', 'store'],
  exports: ['core', 'store', 'net'],
  api: ['contract', 'core', 'engine', 'store', 'files'],
  http: ['contract', 'core', 'api'],
  mcp: ['contract', 'core', 'api'],
  cli: ['contract'],
};

/** Package → the folders of src whose files may import it. Packages without a line are free, save to core. */
const PACKAGE_BELONGS_TO = {
  '@modelcontextprotocol': ['tools', 'mcp'],
  'better-auth': ['http', 'api'],
  '@better-auth': ['http', 'api'],
};

const TESTS = '\\.test\\.ts$';
const ROOT = '^src/main\\.ts$';
/** Parts of the composition root, which may know every folder as it does. */
const COMPOSITION = '^src/composition/';
const folders = (names) => `^src/(${names.join('|')})/`;
const rooms = folders(Object.keys(MAY_KNOW));

const arrows = Object.entries(MAY_KNOW).map(([folder, others]) => ({
  name: `${folder}-knows-too-much`,
  comment: `src/${folder} may import ${['itself', ...others].join(', ')} and nothing else of src`,
  severity: 'error',
  from: { path: folders([folder]), pathNot: TESTS },
  to: { path: '^src/', pathNot: folders([folder, ...others]) },
}));

const packages = Object.entries(PACKAGE_BELONGS_TO).map(([name, owners]) => ({
  name: `${name.replace('@', '')}-strays`,
  comment: `${name} may be imported by ${owners.map((owner) => `src/${owner}`).join(' and ')} only`,
  severity: 'error',
  from: { path: '^(src|web)/', pathNot: [folders(owners), TESTS] },
  to: { path: `(^|node_modules/)${name}(/|$)` },
}));

const forbidden = [
  ...arrows,
  ...packages,
  {
    name: 'core-is-pure',
    comment: 'src/core may import zod and itself only: no other package and nothing of Node',
    severity: 'error',
    from: { path: folders(['core']), pathNot: TESTS },
    to: { pathNot: ['^src/', '(^|node_modules/)zod(/|$)'] },
  },
  {
    name: 'root-knows-rooms',
    comment: 'src/main.ts and src/composition may import every folder that the map names, and no other',
    severity: 'error',
    from: { path: [ROOT, COMPOSITION], pathNot: TESTS },
    to: { path: '^src/', pathNot: [COMPOSITION, rooms] },
  },
  {
    name: 'composition-is-the-roots',
    comment:
      'src/composition is imported by src/main.ts and itself alone: only there ports get their implementations',
    severity: 'error',
    from: { pathNot: [ROOT, COMPOSITION] },
    to: { path: COMPOSITION },
  },
  {
    name: 'root-is-on-top',
    comment: 'the product and web may not import src/main.ts, which imports all of them',
    severity: 'error',
    from: { path: '^(src|web)/' },
    to: { path: ROOT },
  },
  {
    name: 'unknown-room',
    comment: 'this file lies in no folder of src that the map names',
    severity: 'error',
    from: { path: '^src/', pathNot: [ROOT, COMPOSITION, rooms] },
    to: {},
  },
  {
    name: 'source-stays-home',
    comment: 'the product may not import its tests, its benchmarks or anything else outside src',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: { path: [TESTS, '^(?!src/|node_modules/|package\\.json$)'], dependencyTypesNot: ['core', 'unknown'] },
  },
  {
    name: 'development-only',
    comment: 'the product may not import a package that only its development installs',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: { dependencyTypes: ['npm-dev'] },
  },
  {
    name: 'web-knows-the-contract',
    comment: 'web may import itself and src/contract only',
    severity: 'error',
    from: { path: '^web/' },
    to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/contract/' },
  },
  {
    name: 'circle',
    comment: 'these files import each other in a circle',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'orphan',
    comment: 'nothing imports this file and it imports nothing',
    severity: 'error',
    from: { path: '^src/', pathNot: ROOT, orphan: true },
    to: {},
  },
  {
    name: 'unresolvable',
    comment: 'this import leads nowhere, so its arrow cannot be judged',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];

export default {
  forbidden,
  options: {
    // TypeScript 7 has no compiler interface that dependency-cruiser can parse with.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
