import type { Broker } from '../../src/core/ports/broker.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { inProcessBroker } from '../../src/core/services/in-process-broker.ts'

const secret = `whsec_${btoa('a secret of 32 letters, for tests')}`

/** Every broker of ours, by its name; the one over HTTP asks itself. */
export const brokerSubjects: Readonly<Record<string, () => Broker>> = {
  'in-process': inProcessBroker,
  HTTP: () => {
    const broker = httpBroker({
      secrets: [secret],
      endpoints: { '*': 'http://here/events' },
      fetch: (url, init) => broker.handle(new Request(url, init)),
    })
    return broker
  },
}
