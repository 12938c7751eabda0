import { randomUUID } from 'node:crypto'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { McpHttpOptions, McpProcessOptions } from '../../src/adapters/tools/mcp.ts'
import { listeningServer } from './listening-server.ts'
import { markedProgram } from './marked-program.ts'
import { everythingServer, filesystemServer, memoryServer, type ServerProgram } from './official-servers.ts'

/** The ways to reach an official server. */
export type Way = 'stdio' | 'http' | 'sse'

/** One official server, reached in one way, in a folder of its own. */
export interface McpSubject {
  readonly options: Pick<McpProcessOptions, 'command' | 'args' | 'env'> | Pick<McpHttpOptions, 'url'>
  readonly folder: string
  /** The server's processes that are there now. */
  pids(): readonly number[]
  /** Kills them, as a crash does. */
  crash(): Promise<void>
  dispose(): Promise<void>
}

/** The tools and answers of one server. */
export interface McpServerFacts {
  readonly name: string
  /** Some of its tools. */
  readonly lists: readonly string[]
  /** A call and what its text holds. */
  readonly call: readonly [name: string, given: (folder: string) => object, expected: string]
  /** A call the server refuses, and what it says. */
  readonly mistake: readonly [name: string, given: (folder: string) => object, expected: RegExp]
  program(folder: string): ServerProgram
}

/** The official servers. */
export const officialServers: readonly McpServerFacts[] = [
  {
    name: 'everything',
    lists: ['echo', 'get-sum', 'get-tiny-image', 'trigger-long-running-operation'],
    call: ['echo', () => ({ message: 'hello' }), 'Echo: hello'],
    mistake: ['get-sum', () => ({ a: 'one', b: 2 }), /expected number/],
    program: everythingServer,
  },
  {
    name: 'filesystem',
    lists: ['read_text_file', 'write_file', 'list_directory'],
    call: ['read_text_file', (folder) => ({ path: join(folder, 'note.txt') }), 'a note'],
    mistake: ['read_text_file', () => ({ path: '/etc/passwd' }), /Access denied/],
    program: filesystemServer,
  },
  {
    name: 'memory',
    lists: ['create_entities', 'read_graph', 'search_nodes'],
    call: [
      'create_entities',
      // It answers with those that are new to it.
      () => ({ entities: [{ name: `Ada ${randomUUID()}`, entityType: 'person', observations: ['counts'] }] }),
      '"name": "Ada ',
    ],
    mistake: [
      'add_observations',
      () => ({ observations: [{ entityName: 'Nobody', contents: ['x'] }] }),
      /Entity with name Nobody not found/,
    ],
    program: (folder) => memoryServer(join(folder, 'memory.jsonl')),
  },
]

/** Starts a server in a fresh folder, as far as it does not start by itself. */
export async function openSubject({ program }: McpServerFacts, way: Way): Promise<McpSubject> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'mcp-subject-'))
  writeFileSync(join(folder, 'note.txt'), 'a note\n')
  const marked = markedProgram(program(folder))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (way === 'stdio') {
    return {
      options: marked.program,
      folder,
      pids: marked.pids,
      crash: async () => marked.pids().forEach((pid) => process.kill(pid, 'SIGKILL')),
      dispose: async () => remove(),
    }
  }
  const listening = await listeningServer(marked.program, way)
  return {
    options: { url: listening.url },
    folder,
    pids: marked.pids,
    crash: async () => await listening.restart(),
    dispose: async () => {
      await listening.close()
      remove()
    },
  }
}
