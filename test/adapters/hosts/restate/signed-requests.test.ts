import { writeFileSync } from 'node:fs'
import { connect, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasRestate, loadRestateSdk, startRestate } from '../../../../proof/engines/restate-server.ts'
import { type SigningKey, signingKey } from '../../../../proof/engines/signing-key.ts'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import {
  type EndpointSdk,
  restateObject,
  type RestateSdk,
  restateStore,
  serveObjects,
} from '../../../../src/adapters/hosts/restate/index.ts'
import { newRun, ownerNamed } from '../../../../src/testing/stores/store-suite-fixtures.ts'

type Sdk = RestateSdk<unknown> & EndpointSdk<unknown>

/** A request as the endpoint received it. */
interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer[]
}

/** The SDK, whose endpoint keeps what it receives. */
async function recordingSdk(received: Received[]): Promise<Sdk> {
  const sdk = (await loadRestateSdk()) as Sdk
  return {
    ...sdk,
    createEndpointHandler(options) {
      const handle = sdk.createEndpointHandler(options)
      return (request: Http2ServerRequest, response: Http2ServerResponse) => {
        const body: Buffer[] = []
        request.on('data', (chunk: Buffer) => body.push(chunk))
        received.push({ path: request.url, headers: request.headers as Record<string, string>, body })
        handle(request, response)
      }
    },
  }
}

/** Sends a request to an endpoint; returns the status of the answer. */
async function sent(url: string, path: string, headers: object, body: readonly Buffer[] = []): Promise<number> {
  const session = connect(url)
  const stream = session.request({ ':method': body.length === 0 ? 'GET' : 'POST', ':path': path, ...headers })
  if (body.length > 0) stream.end(Buffer.concat(body))
  const status = await new Promise<number>((resolve, reject) => {
    stream.once('response', (answer) => resolve(Number(answer[':status'])))
    stream.once('error', reject)
  })
  stream.resume()
  await new Promise((resolve) => stream.once('close', resolve))
  session.close()
  return status
}

const never = () => {
  throw new Error('Nothing is driven here.')
}

async function served(key: SigningKey, ingress: string, received: Received[] = []) {
  const sdk = await recordingSdk(received)
  const services = [restateObject(sdk, { ingress, agent: never })]
  const objects = await serveObjects(sdk, { services, port: 0, identityKeys: [key.publicKey] })
  onTestFinished(() => objects[Symbol.asyncDispose]())
  return objects.url
}

test.skipIf(!hasRestate)(
  'SCALE-02 refuses a request to objects unless the server signed it for its path and it has not expired',
  async () => {
    const [key, other] = [signingKey(), signingKey()]
    const url = await served(key, 'http://127.0.0.1:1')
    const accept = { accept: 'application/vnd.restate.endpointmanifest.v4+json' }
    const ask = (headers: object) => sent(url, '/discover', { ...accept, ...headers })
    expect({
      signed: await ask(key.headers('/discover', 60)),
      unsigned: await ask({}),
      byAnother: await ask(other.headers('/discover', 60)),
      forAnother: await ask(key.headers('/invoke/Runs/append', 60)),
      expired: await ask(key.headers('/discover', -10)),
    }).toEqual({ signed: 200, unsigned: 401, byAnother: 401, forAnother: 401, expired: 401 })
  },
)

test.skipIf(!hasRestate)(
  'SCALE-02 a recorded signed request that is sent again while it is valid changes nothing',
  async () => {
    const folder = await temporaryFolder()
    const key = signingKey()
    const pem = join(folder, 'key.pem')
    writeFileSync(pem, key.pem)
    const server = await startRestate({ folder: join(folder, 'data'), signingKey: pem })
    onTestFinished(() => server.kill())
    const received: Received[] = []
    const url = await served(key, server.url, received)
    await server.deploy(url)
    const store = restateStore({ ingress: server.url, object: 'one' })
    await store.create(newRun('first'), ownerNamed('owner'), 1000)
    const appends = received.filter(({ path }) => path.endsWith('/append'))
    expect(appends).toHaveLength(1)
    for (const { path, headers, body } of appends) {
      const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')))
      expect(await sent(url, path, own, body)).toBe(200)
    }
    const other = restateStore({ ingress: server.url, object: 'one' })
    expect((await other.list()).length).toBe(1)
    await store.create(newRun('second'), ownerNamed('owner'), 1000)
    expect((await other.list()).length).toBe(2)
    await Promise.all([store.close(), other.close()])
  },
  60_000,
)
