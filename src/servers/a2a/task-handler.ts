import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk'
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { Run } from '../../index.ts'
import { takenUp } from '../chat/give-answers.ts'
import type { Action } from '../http/access.ts'
import { findRun } from '../http/find-run.ts'
import type { Exchange } from '../http/serve.ts'
import { followTask, type IsOver, taskEvents } from './follow-task.ts'
import { listTasks } from './list-tasks.ts'
import type { PushNotifications } from './push-notifications.ts'
import { sendMessage } from './send-message.ts'
import { factsOf, isTerminal, rests, stateOf, taskOf } from './task-of.ts'

/** The parts that serve a request. `judge` turns each error into one of the protocol. */
export interface Served {
  readonly exchange: Exchange
  readonly push: PushNotifications | undefined
  readonly judge: (error: unknown) => never
}

type Streamed = AsyncGenerator<StreamResponse, void, undefined>

/** Serves one request over the runs in the agent's store. */
export function taskHandler({ exchange, push, judge }: Served): A2ARequestHandler {
  const { agent, drives } = exchange
  const judged = <Result>(work: () => Promise<Result>) => work().catch(judge)
  const pushes = () => {
    if (push === undefined) throw new PushNotificationNotSupportedError()
    return push
  }
  const find = async (action: Action, runId: string): Promise<Run> => {
    if (runId.trim() === '') throw new RequestMalformedError('The id of a task is missing.')
    return findRun({ agent, runId, access: await exchange.allow({ action, runId }) })
  }
  const until = async (run: Run, isOver: IsOver) => {
    for await (const _ of followTask(exchange, run, isOver));
  }
  const taskIn = async (run: Run, historyLength?: number) =>
    taskOf(await factsOf(run, (await agent.store?.record(run.id))?.updatedAt), historyLength)
  /** Takes a message, and keeps the configuration that comes with it. A bad one begins nothing. */
  const send = async (request: SendMessageRequest): Promise<Run> => {
    const config = request.configuration?.taskPushNotificationConfig
    const taskId = request.message?.taskId ?? ''
    if (config === undefined) return sendMessage(exchange, request)
    pushes().check(config)
    // A message that comes again is only read, and one whose configuration is refused is not taken.
    if (taskId !== '') await pushes().keep((await find('steer', taskId)).id, config)
    const run = await sendMessage(exchange, request)
    if (taskId === '') await pushes().keep(run.id, config)
    return run
  }
  async function* streamed(begin: () => Promise<Run>, isOver: IsOver, historyLength?: number): Streamed {
    try {
      yield* taskEvents(exchange, await begin(), isOver, historyLength)
    } catch (error) {
      judge(error)
    }
  }
  const noExtendedCard = async () => {
    throw new UnsupportedOperationError('The agent has no extended card.')
  }

  return {
    // Nothing of the package asks for the card.
    getAgentCard: noExtendedCard,
    getAuthenticatedExtendedAgentCard: noExtendedCard,
    sendMessage: (request) =>
      judged(async () => {
        const { historyLength, returnImmediately } = request.configuration ?? {}
        const run = await send(request)
        if (returnImmediately !== true) await until(run, rests)
        return taskIn(run, historyLength)
      }),
    sendMessageStream: (request) => streamed(() => send(request), rests, request.configuration?.historyLength),
    getTask: ({ id, historyLength }) => judged(async () => taskIn(await find('read', id), historyLength)),
    listTasks: (request) => judged(() => listTasks(exchange, request)),
    cancelTask: ({ id }) =>
      judged(async () => {
        const run = await find('cancel', id)
        const { answer } = await run.cancel('The client cancelled the task.')
        if (answer === 'stale') throw new TaskNotCancelableError(`Task "${id}" has ended.`)
        await takenUp(exchange, run)
        if (drives) await until(run, isTerminal)
        return taskIn(run)
      }),
    resubscribe: ({ id }) =>
      streamed(async () => {
        const run = await find('follow', id)
        if (!isTerminal(stateOf(await run.result()))) return run
        throw new UnsupportedOperationError(`Task "${id}" has ended.`)
      }, isTerminal),
    createTaskPushNotificationConfig: (config) =>
      judged(async () => {
        pushes().check(config)
        return pushes().keep((await find('steer', config.taskId)).id, config)
      }),
    getTaskPushNotificationConfig: ({ taskId, id }) =>
      judged(async () => pushes().get((await find('follow', taskId)).id, id)),
    listTaskPushNotificationConfigs: ({ taskId }) =>
      judged(async () => ({ configs: await pushes().list((await find('follow', taskId)).id), nextPageToken: '' })),
    deleteTaskPushNotificationConfig: ({ taskId, id }) =>
      judged(async () => pushes().drop((await find('steer', taskId)).id, id)),
  }
}
