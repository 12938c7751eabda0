export { remoteAgent } from './a2a/remote-agent.ts'
export type { RemoteAgentOptions } from './a2a/options.ts'
