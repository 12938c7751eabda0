export { google } from './google/google.ts'
export type { GoogleOptions } from './google/options.ts'
