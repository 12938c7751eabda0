export { vertex } from './google/vertex.ts'
export type { VertexOptions } from './google/vertex.ts'
