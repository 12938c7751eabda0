export { routeToObject, type ObjectNamespace } from '../route-to-object.ts'
export { runObject, type ObjectState, type RunObject, type RunObjectGiven, type RunObjectParts } from './run-object.ts'
export type { ObjectSql, ObjectStorage } from '../../stores/durable-object/object-storage.ts'
