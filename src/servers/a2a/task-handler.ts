import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
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
import { followTask } from './follow-task.ts'
import { listTasks } from './list-tasks.ts'
import type { PushNotifications } from './push-notifications.ts'
import { sendMessage } from './send-message.ts'
import { taskEvents } from './task-events.ts'
import { factsOf, isTerminal, rests, stateOf, taskOf } from './task-of.ts'

/** Serves one request over the runs in the agent's store. `judge` turns each error into one of the protocol. */
export class TaskHandler implements A2ARequestHandler {
  readonly #exchange: Exchange
  readonly #card: AgentCard
  readonly #givenPush: PushNotifications | undefined
  readonly #judge: (error: unknown) => never

  constructor(
    exchange: Exchange,
    card: AgentCard,
    push: PushNotifications | undefined,
    judge: (error: unknown) => never,
  ) {
    this.#exchange = exchange
    this.#card = card
    this.#givenPush = push
    this.#judge = judge
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card
  }

  async getAuthenticatedExtendedAgentCard(): Promise<AgentCard> {
    throw new UnsupportedOperationError('The agent has no extended card.')
  }

  async sendMessage(request: SendMessageRequest): Promise<Task> {
    return this.#judged(async () => {
      const { historyLength } = request.configuration ?? {}
      const run = await this.#send(request)
      if (request.configuration?.returnImmediately !== true) await this.#until(run, rests)
      return this.#task(run, historyLength)
    })
  }

  async *sendMessageStream(request: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const run = await this.#send(request)
      yield* taskEvents(this.#exchange, run, { isOver: rests, historyLength: request.configuration?.historyLength })
    } catch (error) {
      this.#judge(error)
    }
  }

  async getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    return this.#judged(async () => this.#task(await this.#find('read', id), historyLength))
  }

  async listTasks(request: ListTasksRequest): Promise<ListTasksResponse> {
    return this.#judged(() => listTasks(this.#exchange, request))
  }

  async cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.#judged(async () => {
      const run = await this.#find('cancel', id)
      const { answer } = await run.cancel('The client cancelled the task.')
      if (answer === 'stale') throw new TaskNotCancelableError(`Task "${id}" has ended.`)
      await takenUp(this.#exchange, run)
      if (this.#exchange.drives) await this.#until(run, isTerminal)
      return this.#task(run)
    })
  }

  async *resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    try {
      const run = await this.#find('follow', id)
      if (isTerminal(stateOf(await run.result()))) throw new UnsupportedOperationError(`Task "${id}" has ended.`)
      yield* taskEvents(this.#exchange, run, { isOver: isTerminal })
    } catch (error) {
      this.#judge(error)
    }
  }

  async createTaskPushNotificationConfig(config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    return this.#judged(async () => {
      this.#push.check(config)
      return this.#push.keep((await this.#find('steer', config.taskId)).id, config)
    })
  }

  async getTaskPushNotificationConfig({
    taskId,
    id,
  }: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.#judged(async () => this.#push.get((await this.#find('follow', taskId)).id, id))
  }

  async listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#judged(async () => {
      const configs = await this.#push.list((await this.#find('follow', taskId)).id)
      return { configs, nextPageToken: '' }
    })
  }

  async deleteTaskPushNotificationConfig({ taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.#judged(async () => this.#push.drop((await this.#find('steer', taskId)).id, id))
  }

  get #push(): PushNotifications {
    if (this.#givenPush === undefined) throw new PushNotificationNotSupportedError()
    return this.#givenPush
  }

  /** Takes a message, and keeps the configuration that comes with it. A bad one begins nothing. */
  async #send(request: SendMessageRequest): Promise<Run> {
    const config = request.configuration?.taskPushNotificationConfig
    if (config !== undefined) this.#push.check(config)
    const taskId = request.message?.taskId ?? ''
    // A message that comes again is only read.
    if (config !== undefined && taskId !== '') await this.#find('steer', taskId)
    const run = await sendMessage(this.#exchange, request)
    if (config !== undefined) await this.#push.keep(run.id, config)
    return run
  }

  #judged<Result>(work: () => Promise<Result>): Promise<Result> {
    return work().catch(this.#judge)
  }

  async #find(action: Action, runId: string): Promise<Run> {
    if (runId.trim() === '') throw new RequestMalformedError('The id of a task is missing.')
    const access = await this.#exchange.allow({ action, runId })
    return findRun({ agent: this.#exchange.agent, runId, access })
  }

  async #until(run: Run, isOver: Parameters<typeof followTask>[2]): Promise<void> {
    const events = followTask(this.#exchange, run, isOver)
    while ((await events.next()).done !== true);
  }

  async #task(run: Run, historyLength?: number): Promise<Task> {
    const { store } = this.#exchange.agent
    return taskOf(await factsOf(run, (await store?.record(run.id))?.updatedAt), historyLength)
  }
}
