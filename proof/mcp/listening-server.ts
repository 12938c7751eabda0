import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { ServerProgram } from './official-servers.ts'

/** A listener on loopback, with a process of its own for every session. */
export interface ListeningServer {
  readonly url: string
  /** Processes that have not ended. */
  pids(): readonly number[]
  /** Forgets every session without a word, as a server that was started anew has. */
  restart(): Promise<void>
  close(): Promise<void>
}

interface Session {
  readonly process: StdioClientTransport
  readonly pid: number
  readonly transport: StreamableHTTPServerTransport | SSEServerTransport
}

/**
 * Puts a program that speaks MCP over standard input and output behind HTTP, as the official servers' own listeners
 * take connections from everywhere. `http` is the streamable transport, `sse` the one before it.
 */
export async function listeningServer(program: ServerProgram, kind: 'http' | 'sse'): Promise<ListeningServer> {
  const sessions = new Map<string, Session>()
  const answer = kind === 'http' ? answerHttp(program, sessions) : answerSse(program, sessions)
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The listener has no port.')
  const restart = async () => {
    const all = [...sessions.values()]
    sessions.clear()
    await Promise.all(all.map(({ transport, process: child }) => Promise.all([transport.close(), end(child)])))
  }
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    pids: () => [...sessions.values()].map(({ pid }) => pid),
    restart,
    close: async () => {
      await restart()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerHttp(program: ServerProgram, sessions: Map<string, Session>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? sessions.get(id) : undefined
    if (known?.transport instanceof StreamableHTTPServerTransport) {
      return await known.transport.handleRequest(request, response)
    }
    if (id !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}')
      return
    }
    const children: StdioClientTransport[] = []
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (sessionId) => {
        for (const child of children) sessions.set(sessionId, { process: child, pid: child.pid ?? 0, transport })
      },
      onsessionclosed: (sessionId) => void sessions.delete(sessionId),
    })
    const child = await joined(program, transport)
    children.push(child)
    await transport.handleRequest(request, response)
    if (transport.sessionId === undefined) await end(child)
  }
}

function answerSse(program: ServerProgram, sessions: Map<string, Session>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/message', response)
      const child = await joined(program, transport)
      if (child.pid) sessions.set(transport.sessionId, { process: child, pid: child.pid, transport })
      response.once('close', () => {
        sessions.delete(transport.sessionId)
        void end(child)
      })
      return
    }
    const id = new URL(request.url ?? '', 'http://127.0.0.1').searchParams.get('sessionId') ?? ''
    const { transport } = sessions.get(id) ?? {}
    if (transport instanceof SSEServerTransport) return await transport.handlePostMessage(request, response)
    response.writeHead(404)
    response.end()
  }
}

/** Passes every message on, both ways; the process ends with its session. */
async function joined(
  { command, args, env }: ServerProgram,
  transport: StreamableHTTPServerTransport | SSEServerTransport,
): Promise<StdioClientTransport> {
  const child = new StdioClientTransport({
    command,
    args: [...args],
    ...(env === undefined ? {} : { env }),
    stderr: 'ignore',
  })
  Object.assign(transport, {
    onmessage: (message: JSONRPCMessage) => void child.send(message),
    onclose: () => void end(child),
  })
  Object.assign(child, {
    onmessage: (message: JSONRPCMessage) => void transport.send(message as never).catch(() => undefined),
    onclose: () => void transport.close(),
  })
  await child.start()
  await transport.start()
  return child
}

/** At once: some of the servers do not end with their input. */
async function end(child: StdioClientTransport): Promise<void> {
  if (child.pid !== null) process.kill(child.pid, 'SIGKILL')
  await child.close()
}
