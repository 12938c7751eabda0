import { connect } from 'node:net'
import type { PlayedScenario } from './scenario-client.ts'

// What the official program starts for each scenario. It hands the scenario to the process that plays them all, and ends
// as the client did there: loading the client anew for each takes most of the time.
const [url = ''] = process.argv.slice(2)
const { MCP_CONFORMANCE_SCENARIO: name = '', MCP_CONFORMANCE_CONTEXT: context, SCENARIO_SOCKET = '' } = process.env
const asked: PlayedScenario = { name, url, ...(context === undefined ? {} : { context }) }
const socket = connect(SCENARIO_SOCKET, () => socket.end(JSON.stringify(asked)))
let problem = ''
socket.setEncoding('utf8').on('data', (part: string) => (problem += part))
socket.on('end', () => {
  process.stderr.write(problem)
  process.exitCode = problem === '' ? 0 : 1
})
