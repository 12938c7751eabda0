/** One room: who lives there, whom it may call, and which packages it may bring in. */
export interface Room {
  readonly name: string
  /** A folder ending in `/`, or one file. */
  readonly path: string
  /** Rooms it may import from. */
  readonly rooms: readonly string[]
  /** Single files of other rooms it may import, each with its reason beside it. */
  readonly files?: readonly string[]
  /** Rooms it may take types from, and nothing that runs. */
  readonly types?: readonly string[]
  /** Package name to the start of the paths that may import it; `node:` stands for every built-in module. */
  readonly packages?: Readonly<Record<string, string>>
  /** Single files that may load modules named at run time, each with its reason beside it. */
  readonly loads?: readonly string[]
  /** True for the rooms beside the product: they may bring in any package, and modules named at run time. */
  readonly isBeside?: boolean
  /** True where the public subpaths of the package may be imported too. */
  readonly doors?: boolean
  /** True where a module may hold nothing but `export … from`. */
  readonly reExportsOnly?: boolean
}

const core = [
  'domain',
  'machines',
  'ports',
  'prompt',
  'step',
  'runtime',
  'effects',
  'driving',
  'sessions',
  'hosts/plain',
  'agent',
]
/** What drives a run, for rooms that drive one in a way of their own. */
const engine = ['machines', 'step', 'runtime', 'effects']
const leaf = ['domain', 'ports']

/** Which machines a machine spawns, and so may import. */
const spawns: Readonly<Record<string, readonly string[]>> = {
  run: ['tool-call', 'model-call'],
  branches: ['run'],
  session: ['run'],
}

/** Every room of the product; what proves it may look into all of them. */
const product = [
  ...core,
  'charts',
  'providers',
  'stores',
  'tools',
  'hosts',
  'telemetry',
  'inspect',
  'plugins',
  'protocols',
  'services',
  'react',
  'recorder',
  'memory',
  'transcripts',
  'testing',
  'cli',
  'studio',
  'index',
]

/** The rooms, in the order of the architecture's table; machines are added by `roomOf`. None imports upward. */
const rooms: readonly Room[] = [
  {
    name: 'domain',
    path: 'src/domain/',
    rooms: [],
    // Who drives a run is this process, and whether another is alive its host knows.
    packages: { 'node:': 'src/domain/this-process.ts' },
    // zod's converter is loaded for schemas that bring none: all would pay for it at import, few need it.
    loads: ['src/domain/platform.ts'],
  },
  { name: 'charts', path: 'src/charts/', rooms: ['domain'], packages: { xstate: 'src/charts/' } },
  { name: 'machines', path: 'machines/index.ts', rooms: ['machines', 'charts'], reExportsOnly: true },
  { name: 'ports', path: 'src/ports/', rooms: ['domain'] },
  { name: 'prompt', path: 'src/prompt/', rooms: leaf },
  { name: 'transcripts', path: 'src/transcripts/', rooms: ['domain'] },
  { name: 'step', path: 'src/step/', rooms: ['domain'], packages: { xstate: 'src/step/' } },
  { name: 'runtime', path: 'src/runtime/', rooms: [...leaf, 'step'] },
  {
    name: 'effects',
    path: 'src/effects/',
    rooms: [...leaf, 'prompt'],
    types: ['machines'],
    packages: { '@cfworker/json-schema': 'src/effects/' },
  },
  { name: 'driving', path: 'src/driving/', rooms: [...leaf, ...engine] },
  {
    name: 'sessions',
    path: 'src/sessions/',
    rooms: [...leaf, 'runtime', 'driving', 'transcripts'],
    types: ['machines'],
  },
  {
    name: 'hosts/plain',
    path: 'src/hosts/plain/',
    rooms: [...leaf, ...engine],
    packages: { xstate: 'src/hosts/plain/' },
  },
  {
    name: 'agent',
    path: 'src/agent/',
    rooms: core,
    // Where no store is given, runs are kept in memory.
    files: ['src/stores/memory/memory-store.ts'],
  },
  {
    name: 'providers',
    path: 'src/providers/',
    rooms: leaf,
    packages: {
      '@ai-sdk/provider': 'src/providers/ai-sdk',
      '@anthropic-ai/sdk': 'src/providers/anthropic',
      '@aws-sdk/client-bedrock-runtime': 'src/providers/bedrock',
      '@google/genai': 'src/providers/google',
      openai: 'src/providers/openai',
    },
  },
  {
    name: 'stores',
    path: 'src/stores/',
    rooms: leaf,
    packages: { 'node:': 'src/stores/', pg: 'src/stores/postgres/' },
  },
  {
    name: 'tools',
    path: 'src/tools/',
    rooms: leaf,
    // A set of skills says how it reads in a prompt.
    files: ['src/prompt/skills-index.ts'],
    packages: {
      'node:': 'src/tools/',
      zod: 'src/tools/',
      yaml: 'src/tools/',
      '@cfworker/json-schema': 'src/tools/foreign-schema.ts',
      undici: 'src/tools/guarded-fetch.ts',
      'ipaddr.js': 'src/tools/public-address.ts',
      '@vscode/ripgrep': 'src/tools/ripgrep.ts',
      '@modelcontextprotocol/client': 'src/tools/mcp/',
    },
  },
  {
    name: 'hosts',
    path: 'src/hosts/',
    rooms: [...leaf, 'step', 'runtime', 'machines', 'driving', 'agent'],
    packages: { 'node:': 'src/hosts/' },
  },
  // What runs send, and agents that work as services.
  { name: 'services', path: 'src/services/', rooms: [...leaf, 'effects', 'driving', 'agent'] },
  {
    name: 'telemetry',
    path: 'src/telemetry/',
    rooms: leaf,
    // The names of the effects, so that one without a span is seen by the compiler.
    types: ['effects'],
    packages: { '@opentelemetry/api': 'src/telemetry/' },
  },
  {
    name: 'inspect',
    path: 'src/inspect/',
    rooms: leaf,
    packages: { 'node:': 'src/inspect/', xstate: 'src/inspect/' },
    doors: true,
  },
  { name: 'plugins', path: 'src/plugins/', rooms: leaf },
  {
    name: 'protocols',
    path: 'src/protocols/',
    rooms: leaf,
    packages: {
      'node:': 'src/protocols/',
      zod: 'src/protocols/',
      ai: 'src/protocols/ai-sdk/',
      '@ag-ui/core': 'src/protocols/ag-ui/',
      '@modelcontextprotocol/server': 'src/protocols/mcp/',
      '@modelcontextprotocol/node': 'src/protocols/mcp/',
    },
    doors: true,
  },
  {
    name: 'recorder',
    path: 'src/recorder/',
    rooms: [...leaf, 'transcripts'],
    // Recorded sessions may be kept in the file of a run store, and a lock is a transaction of SQLite.
    files: ['src/stores/sqlite/open-files.ts', 'src/stores/sqlite/module.ts'],
    packages: { 'node:': 'src/recorder/' },
  },
  {
    name: 'memory',
    path: 'src/memory/',
    rooms: leaf,
    // Both load the database of Node in one place.
    files: ['src/stores/sqlite/module.ts'],
    packages: { 'node:': 'src/memory/' },
  },
  {
    name: 'testing',
    path: 'src/testing/',
    rooms: [...leaf, 'step', 'runtime', 'machines', 'driving', 'agent', 'recorder', 'hosts'],
    // Runs of generated tests are kept in memory, where the next agent finds them.
    files: ['src/stores/memory/memory-store.ts'],
    packages: {
      xstate: 'src/testing/',
      '@xstate/graph': 'src/testing/charts/',
      'fast-check': 'src/testing/',
      'node:': 'src/testing/',
    },
  },
  {
    name: 'cli',
    path: 'src/cli/',
    rooms: [],
    // What does not show is one list, for a person who approves as for the model; no program needs it of a door.
    files: ['src/domain/invisible.ts'],
    packages: { 'node:': 'src/cli/', xstate: 'src/cli/chat/' },
    // A person names the module of his own agents.
    loads: ['src/cli/load-agents.ts'],
    doors: true,
  },
  {
    name: 'studio',
    path: 'src/studio/',
    rooms: [],
    // What does not show is written out, as on the command line.
    files: ['src/domain/invisible.ts'],
    packages: { 'node:': 'src/studio/', preact: 'src/studio/page/', xstate: 'src/studio/' },
    // elkjs is optional and large: a thread of its own loads it, from where it was found.
    loads: ['src/studio/elk-thread.ts'],
    doors: true,
  },
  {
    name: 'react',
    path: 'src/react/',
    // Types of what the server answers; a page takes no other part of the engine in.
    rooms: leaf,
    packages: { react: 'src/react/' },
  },
  { name: 'index', path: 'src/index.ts', rooms: [...core, 'transcripts'], reExportsOnly: true },
  { name: 'examples', path: 'examples/', rooms: [], isBeside: true, doors: true },
  { name: 'bench', path: 'bench/', rooms: [...product, 'proof'], isBeside: true },
  { name: 'proof', path: 'proof/', rooms: product, isBeside: true },
  { name: 'scripts', path: 'scripts/', rooms: [...product, 'proof', 'bench'], isBeside: true },
  { name: 'test', path: 'test/', rooms: [...product, 'proof', 'examples'], isBeside: true },
]

/** The room a file belongs to, or undefined where the file stands in no room. */
export function roomOf(path: string): Room | undefined {
  const machine = /^machines\/([^/]+)\//.exec(path)?.[1]
  if (machine !== undefined) return machineRoom(machine)
  return rooms.find((room) => (room.path.endsWith('/') ? path.startsWith(room.path) : path === room.path))
}

function machineRoom(name: string): Room {
  return {
    name: `machines/${name}`,
    path: `machines/${name}/`,
    rooms: (spawns[name] ?? []).map((child) => `machines/${child}`),
    types: ['domain'],
    packages: { xstate: 'machines/' },
  }
}
