import { createSingleProcessPrism } from '@stoplight/prism-cli/dist/util/createServer.js'

/**
 * A process that serves OpenAPI documents with Prism, each on a free port of loopback. Its parameters are paths; it prints
 * what Prism prints, in which each document has one line with its address, and ends with its standard input.
 */
const [, , ...documents] = process.argv
for (const document of documents) {
  await createSingleProcessPrism({
    document,
    dynamic: false,
    cors: false,
    host: '127.0.0.1',
    port: 0,
    multiprocess: false,
    errors: false,
    verboseLevel: 'start',
    ignoreExamples: false,
    seed: 'statewright',
    jsonSchemaFakerFillProperties: true,
  })
}
process.stdin.resume().once('end', () => process.exit(0))
