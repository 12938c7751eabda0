import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../../../src/adapters/telemetry/index.ts'
import { createAgent, tool } from '../../../../src/index.ts'

/**
 * Drives a run to its next rest in a process of its own, and sends its spans to a receiver. Flags: the file of the
 * store, the receiver's address, the run's id, and `new` to
 * start the run, which asks for an approval.
 */
const [, , path = '', url = '', runId = '', isNew = ''] = process.argv
const exporter = new OTLPTraceExporter({ url })
const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
const store = sqliteStore(path)
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'paid',
})
const clerk = createAgent({
  name: 'clerk',
  model: scripted(({ messages }) =>
    messages.length > 1 ? 'Done.' : { toolCalls: [{ id: 'a', name: 'pay', arguments: {} }] },
  ),
  tools: [pay],
  store,
  tracer: await openTelemetry({ tracerProvider }),
  onPartialSuspension: 'wait',
})
const run = isNew === 'new' ? clerk.start('Pay.', { runId }) : await clerk.load(runId)
process.stdout.write((await run.settled()).status)
await store.close()
await tracerProvider.shutdown()
