export { restateObject, type RestateObjectGiven, type RestateObjectOptions } from './restate-object.ts'
export type { RestateContext, RestateHandler, RestateHandlerOptions, RestateSdk } from './restate-sdk.ts'
export { type EndpointSdk, serveObjects, type ServedObjects, type ServeObjectsOptions } from './serve-objects.ts'
export { restateStore, type RestateStoreOptions } from '../../stores/restate/restate-store.ts'
