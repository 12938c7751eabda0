import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { thrownText } from '../../src/core/domain/text/thrown-text.ts'
import { playClient, type PlayedScenario } from './scenario-client.ts'

// Plays the clients of all scenarios. Each connection hands one in, and is answered with what went wrong, and with
// nothing where the client came to its end.
const server = createServer({ allowHalfOpen: true }, (socket) => {
  const played = text(socket).then((asked) => playClient(JSON.parse(asked) as PlayedScenario))
  played.then(
    () => socket.end(),
    (error: unknown) => socket.end(`The client failed: ${thrownText(error)}\n`),
  )
})
server.listen(process.env['SCENARIO_SOCKET'], () => console.log('listening'))
