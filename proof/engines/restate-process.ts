import {
  restateObject,
  serveObjects,
  type EndpointSdk,
  type RestateSdk,
} from '../../src/adapters/hosts/restate/index.ts'
import { loadRestateSdk } from './restate-server.ts'
import { shopAgent } from './shop-agent.ts'

/** Serves the shop's agent to Restate: the addresses of the ingress and of the server that records effects, and a port. */
const { INGRESS = '', JOURNAL = '', PORT = '0', PLANT = '', KEY } = process.env
const sdk = (await loadRestateSdk()) as RestateSdk<unknown> & EndpointSdk<unknown>
const shop = restateObject(sdk, {
  ingress: INGRESS,
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
