export { inspectorRelay, type InspectorRelay, type InspectorRelayOptions } from './inspector-relay.ts'
export type { InspectorMessage, InspectorMessageHead, ShownEvent, ShownSnapshot } from './inspector-message.ts'
export { statelyInspector, type StatelyInspector, type StatelyInspectorOptions } from './stately-inspector.ts'
