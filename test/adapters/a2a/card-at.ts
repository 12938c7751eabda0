/** A card as it is on the wire. */
export const cardAt = (url: string, more: object = {}) => ({
  name: 'odd',
  description: 'Odd.',
  version: '1',
  capabilities: {},
  skills: [],
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  ...more,
})
