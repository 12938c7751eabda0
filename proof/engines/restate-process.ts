import {
  restateObject,
  serveObjects,
  type EndpointSdk,
  type RestateSdk,
} from '../../src/adapters/hosts/restate/index.ts'
import { loadRestateSdk } from './restate-server.ts'
import { shopAgent } from './shop-agent.ts'

/** Serves the shop's agent to Restate: the addresses of the ingress, with commas, and of the server that records effects, and a port. */
const { INGRESS = '', JOURNAL = '', PORT = '0', PLANT = '', KEY, CUT, CUT_KEPT } = process.env
const whole = (await loadRestateSdk()) as RestateSdk<unknown> & EndpointSdk<unknown>
const sdk = CUT === undefined ? whole : cutting(whole, Number(CUT), CUT_KEPT === 'true')
const shop = restateObject(sdk, {
  ingress: INGRESS.split(','),
  agent: ({ store }) =>
    shopAgent({
      store,
      payment: PLANT === 'repeating' ? 'none' : 'once',
      act: async (path) => (await fetch(`${JOURNAL}${path}`, { method: 'POST' })).text(),
    }),
})
const { url } = await serveObjects(sdk, {
  services: [shop],
  port: Number(PORT),
  ...(KEY === undefined ? {} : { identityKeys: [KEY] }),
})
console.log(url)

/** The SDK in a process that kills itself at an entry of the server's journals, before it is sent or after. */
function cutting(given: typeof whole, last: number, isKept: boolean): typeof whole {
  let entries = 0
  return {
    ...given,
    createEndpointHandler(options) {
      const handle = given.createEndpointHandler(options)
      return (request, response) => {
        const { stream } = response
        const write = stream._write.bind(stream)
        stream._write = (chunk, encoding, done) => {
          const isLast = ++entries === last
          if (isLast && !isKept) process.kill(process.pid, 'SIGKILL')
          write(chunk, encoding, (error) => {
            if (isLast) process.kill(process.pid, 'SIGKILL')
            done(error)
          })
        }
        handle(request, response)
      }
    },
  }
}
