export { vertex, type VertexOptions } from './google/vertex.ts'
