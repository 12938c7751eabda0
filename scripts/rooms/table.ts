import type { Room } from './room.ts'
import { serverFiles } from './server-files.ts'
import { spawns } from './spawns.ts'

const core = [
  'text',
  'domain',
  'machines',
  'ports',
  'prompt',
  'step',
  'runtime',
  'effects',
  'driving',
  'family',
  'sessions',
  'plain',
  'agent',
]
/** The rooms that drive a run, for rooms that drive runs in their own way. */
const engine = ['machines', 'step', 'runtime', 'effects']
const leaf = ['text', 'domain', 'ports']

/** Every room of the product; the proof may import all of them. */
const product = [
  ...core,
  'charts',
  'providers',
  'core stores',
  'stores',
  'brokers',
  'tools',
  'workers',
  'telemetry',
  'inspect',
  'plugins',
  'hosts',
  'servers',
  'services',
  'react',
  'recorder',
  'memory',
  'transcripts',
  'testing',
  'cli',
  'studio',
  'page',
  'index',
  'ports index',
]

/** The rooms, by folder; `roomOf` adds the machines. The first room that contains a path has it. None imports upward. */
export const rooms: readonly Room[] = [
  // The engine.
  {
    name: 'text',
    path: 'src/core/domain/text/',
    rooms: [],
    // Only schemas without their own converter need zod's, so it is not loaded at import.
    loads: ['src/core/domain/text/platform.ts'],
  },
  {
    name: 'domain',
    path: 'src/core/domain/',
    rooms: ['text'],
    // The driver of a run is this process, and the host knows whether another process lives. Importing Node's modules
    // would take longer.
    loads: ['src/core/domain/this-process.ts'],
  },
  { name: 'charts', path: 'src/core/charts/', rooms: ['text', 'domain'], packages: { xstate: 'src/core/charts/' } },
  { name: 'ports', path: 'src/core/ports/', rooms: ['text', 'domain'] },
  { name: 'prompt', path: 'src/core/prompt/', rooms: leaf },
  { name: 'transcripts', path: 'src/core/transcripts/', rooms: ['text', 'domain'] },
  { name: 'step', path: 'src/core/step/', rooms: ['text', 'domain'], packages: { xstate: 'src/core/step/' } },
  { name: 'runtime', path: 'src/core/runtime/', rooms: [...leaf, 'step'] },
  {
    name: 'effects',
    path: 'src/core/effects/',
    rooms: [...leaf, 'prompt'],
    types: ['machines'],
    // The table of all phases and their rights.
    files: ['machines/run/run.phases.ts'],
    packages: { '@cfworker/json-schema': 'src/core/effects/' },
  },
  { name: 'driving', path: 'src/core/driving/', rooms: [...leaf, ...engine] },
  { name: 'family', path: 'src/core/family/', rooms: [...leaf, ...engine, 'driving'], types: ['machines'] },
  {
    name: 'sessions',
    path: 'src/core/sessions/',
    rooms: [...leaf, 'runtime', 'driving', 'transcripts'],
    types: ['machines'],
  },
  {
    name: 'plain',
    path: 'src/core/plain/',
    rooms: [...leaf, ...engine],
    packages: { xstate: 'src/core/plain/' },
  },
  {
    name: 'agent',
    path: 'src/core/agent/',
    rooms: core,
    // Without a given store, runs are kept in memory.
    files: ['src/core/stores/memory/memory-store.ts'],
  },
  {
    name: 'workers',
    path: 'src/core/workers/',
    rooms: [...leaf, 'step', 'runtime', 'machines', 'driving', 'family', 'agent'],
    packages: { 'node:': 'src/core/workers/' },
  },
  // Outgoing events, and agents that work as services.
  { name: 'services', path: 'src/core/services/', rooms: [...leaf, 'effects', 'driving', 'agent'] },
  { name: 'plugins', path: 'src/core/plugins/', rooms: leaf },
  // The parts that all stores share, and the memory store.
  { name: 'core stores', path: 'src/core/stores/', rooms: leaf },
  // Implementations of the ports, with one subpath each.
  {
    name: 'providers',
    path: 'src/adapters/providers/',
    rooms: leaf,
    packages: {
      '@ai-sdk/provider': 'src/adapters/providers/ai-sdk',
      '@anthropic-ai/sdk': 'src/adapters/providers/anthropic',
      '@aws-sdk/client-bedrock-runtime': 'src/adapters/providers/bedrock',
      '@google/genai': 'src/adapters/providers/google',
      openai: 'src/adapters/providers/openai',
    },
  },
  {
    name: 'stores',
    path: 'src/adapters/stores/',
    rooms: [...leaf, 'core stores'],
    packages: { 'node:': 'src/adapters/stores/', pg: 'src/adapters/stores/postgres/' },
  },
  {
    name: 'tools',
    path: 'src/adapters/tools/',
    rooms: leaf,
    // A set of skills provides its own text for a prompt.
    files: ['src/core/prompt/skills-index.ts'],
    packages: {
      'node:': 'src/adapters/tools/',
      zod: 'src/adapters/tools/',
      yaml: 'src/adapters/tools/',
      '@cfworker/json-schema': 'src/adapters/tools/foreign-schema.ts',
      undici: 'src/adapters/tools/guarded-fetch.ts',
      'ipaddr.js': 'src/adapters/tools/public-address.ts',
      '@vscode/ripgrep': 'src/adapters/tools/ripgrep.ts',
      '@modelcontextprotocol/client': 'src/adapters/tools/mcp/',
      '@a2a-js/sdk': 'src/adapters/tools/a2a/',
    },
  },
  {
    name: 'telemetry',
    path: 'src/adapters/telemetry/',
    rooms: leaf,
    // The names of the effects, so that an effect without a span does not compile.
    types: ['effects'],
    packages: { '@opentelemetry/api': 'src/adapters/telemetry/' },
  },
  {
    name: 'inspect',
    path: 'src/adapters/inspect/',
    rooms: leaf,
    packages: { 'node:': 'src/adapters/inspect/', xstate: 'src/adapters/inspect/' },
    doors: true,
  },
  {
    name: 'recorder',
    path: 'src/adapters/recorder/',
    rooms: [...leaf, 'transcripts'],
    // A record is a fold over the log of a run, and a lock is a transaction of SQLite.
    files: ['src/core/driving/follow.ts', 'src/adapters/stores/sqlite/module.ts'],
    packages: { 'node:': 'src/adapters/recorder/' },
  },
  {
    name: 'memory',
    path: 'src/adapters/memory/',
    rooms: leaf,
    // The stores load Node's database and the driver of Postgres, and use them.
    files: [
      'src/adapters/stores/sqlite/module.ts',
      'src/adapters/stores/postgres/open-pools.ts',
      'src/adapters/stores/postgres/postgres-pool.ts',
      'src/adapters/stores/postgres/session.ts',
    ],
    packages: { 'node:': 'src/adapters/memory/' },
  },
  { name: 'brokers', path: 'src/adapters/brokers/', rooms: leaf },
  {
    name: 'hosts',
    path: 'src/adapters/hosts/',
    rooms: [...leaf, 'driving', 'family', 'stores'],
    packages: { 'node:': 'src/adapters/hosts/restate/' },
    doors: true,
  },
  {
    name: 'studio',
    path: 'src/servers/studio/',
    rooms: ['text', 'servers'],
    // The links of a family are in the input of its runs.
    files: ['src/core/domain/family-link.ts'],
    packages: { 'node:': 'src/servers/studio/', xstate: 'src/servers/studio/' },
    doors: true,
  },
  {
    name: 'servers',
    path: 'src/servers/',
    rooms: leaf,
    files: serverFiles,
    packages: {
      'node:': 'src/servers/',
      zod: 'src/servers/',
      ai: 'src/servers/ai-sdk/',
      '@a2a-js/sdk': 'src/servers/a2a/',
      '@ag-ui/core': 'src/servers/ag-ui/',
      '@agentclientprotocol/sdk': 'src/servers/acp/',
      '@modelcontextprotocol/server': 'src/servers/mcp/',
      '@modelcontextprotocol/node': 'src/servers/mcp/',
    },
    doors: true,
  },
  {
    name: 'cli',
    path: 'src/apps/cli/',
    rooms: [],
    // Approvals and models share the invisible characters. The clock lets `--help` run without the engine.
    files: ['src/core/domain/text/invisible.ts', 'src/core/ports/system-clock.ts'],
    packages: { 'node:': 'src/apps/cli/', xstate: 'src/apps/cli/chat/' },
    // A person names the module of the agents.
    loads: ['src/apps/cli/setup/load-agents.ts'],
    doors: true,
  },
  {
    name: 'react',
    path: 'src/apps/react/',
    // Types of the server's answers, and the follower of a run; a page imports no other part of the engine.
    rooms: leaf,
    files: ['src/core/driving/follow.ts', 'src/core/driving/served-events.ts'],
    packages: { react: 'src/apps/react/' },
  },
  {
    name: 'page',
    path: 'src/apps/studio/',
    // The page of the studio reads what its server answers; it loads no store, and no checks of what others give.
    rooms: ['studio', 'domain', 'text'],
    files: ['src/core/driving/served-events.ts'],
    packages: { preact: 'src/apps/studio/' },
    doors: true,
  },
  // The parts of tests of an agent and of an adapter.
  {
    name: 'testing',
    path: 'src/testing/',
    rooms: [...leaf, 'step', 'runtime', 'machines', 'driving', 'family', 'agent', 'recorder', 'workers'],
    // Runs of generated tests are kept in memory, where the next agent finds them.
    files: ['src/core/stores/memory/memory-store.ts'],
    packages: {
      xstate: 'src/testing/',
      '@xstate/graph': 'src/testing/charts/',
      'fast-check': 'src/testing/',
      'node:': 'src/testing/',
    },
  },
  // The root entry point, and the folders outside the product.
  { name: 'machines', path: 'machines/index.ts', rooms: ['machines', 'charts'], reExportsOnly: true },
  { name: 'index', path: 'src/index.ts', rooms: [...core, 'transcripts'], reExportsOnly: true },
  { name: 'ports index', path: 'src/ports.ts', rooms: [...core, 'transcripts'], reExportsOnly: true },
  { name: 'examples', path: 'examples/', rooms: [], isBeside: true, doors: true },
  { name: 'bench', path: 'bench/', rooms: [...product, 'proof'], isBeside: true },
  { name: 'proof', path: 'proof/', rooms: product, isBeside: true },
  { name: 'scripts', path: 'scripts/', rooms: [...product, 'proof', 'bench'], isBeside: true },
  { name: 'test', path: 'test/', rooms: [...product, 'proof', 'examples'], isBeside: true },
]

/** Returns the room of a file, or undefined for a file without one. */
export function roomOf(path: string): Room | undefined {
  const machine = /^machines\/([^/]+)\//.exec(path)?.[1]
  if (machine !== undefined) return machineRoom(machine)
  return rooms.find((room) => (room.path.endsWith('/') ? path.startsWith(room.path) : path === room.path))
}

/** Returns the room with a name. */
export function roomNamed(name: string): Room | undefined {
  return name.startsWith('machines/')
    ? machineRoom(name.slice('machines/'.length))
    : rooms.find((room) => room.name === name)
}

function machineRoom(name: string): Room {
  return {
    name: `machines/${name}`,
    path: `machines/${name}/`,
    rooms: (spawns[name] ?? []).map((child) => `machines/${child}`),
    types: ['text', 'domain'],
    packages: { xstate: 'machines/' },
  }
}
