/** The most that one figure may come to. */
export interface FootprintLimit {
  readonly name: string
  /** What is measured now. Lower it when the figure falls; whoever raises it says why in its reason. */
  readonly limit: number
  readonly asked: number
  /** The figure that the limit was set by. A test keeps the limit near it. */
  readonly measured?: number
  /** The parts of the figure. */
  readonly reason: string
}

/** One run of two turns with one tool call; XState's files are counted in `all`, and not in `ours`. */
export const limits = {
  ours: {
    files: {
      name: 'files of ours that a run of two turns enters',
      limit: 138,
      asked: 72,
      measured: 133,
      reason:
        'One file a question of a chart, the step, the loop, what it collects, performing, and what is plugged together. It was 98 with actors of XState, whose five files the step has taken the place of; the way of a request is five files since, and compaction seven; sessions, permissions and grants have two each, services one and answers under way one. Five went that a run without plugins, a clock of its own, retries and parts of answers never needed; four more, with checks of options that nobody gave, posts and sessions that a run has none of. One came with what stays when a run goes back to its last commit, and one with records. Five came with plugins that are asked by one effect and with events that every run stores.',
    },
    functions: {
      name: 'functions of ours that it enters',
      limit: 815,
      asked: 560,
      measured: 799,
      reason:
        'Most options are checked one by one, and each thing a run may be asked for or told is a function of its own; 38 came with the step, and those of XState went; 11 since: definitions of tools, transcripts read through, hooks in time, payloads by heads; 35 ask whether a prompt has room, once each; 9 came with sessions in the store and permissions, 3 with grants, 5 with what summaries cost and how much of a prompt stays the same, and 6 with answers under way; 15 went that ask for what a run has none of, and 33 that did again for each run what is one for its agent; 6 look whether somebody has asked for a compaction, and 21 name the turns of the messages of its result. Records, the span of each request to a model, and holds that no transcript shows are 18 since.',
    },
    lines: {
      name: 'lines of ours that it executes',
      limit: 4680,
      asked: 3620,
      measured: 4662,
      reason:
        'Most of them once a run: options, plans of charts and what a store is opened with; 150 came with the step, 200 with compaction, 40 with what a run is found by, 3 with what it is configured with, 25 with grants in the store, 22 look whether anything is to leave the process, 50 with summaries and with how much of a prompt stays the same, 42 with what a transcript has kept of its beginning and what was asked for by hand, 2 look whether there is a memory. The same parts are 60 lines since, and 22 look whether a run is of a family, has an account, or has work in the background.',
    },
  },
  all: {
    functions: {
      name: "functions that it enters, with XState's",
      limit: 816,
      asked: 605,
      measured: 800,
      reason: 'All but one are ours: no actor of XState lives in a drive. All of ours are counted here too.',
    },
  },
  steadyTurn: {
    functions: {
      name: 'functions that a steady turn enters',
      limit: 550,
      asked: 380,
      measured: 539,
      reason:
        'A turn is stepped, committed and told by functions of their own. It was 473; 30 measure what is new of a prompt, 5 what it has kept; priorities are compared where there are two calls, and plugins asked where there are any. 10 came with calls that settle beside unread rows, the span of a request and legal requests.',
    },
    calls: {
      name: 'calls in a steady turn',
      limit: 1854,
      asked: 1600,
      measured: 1800,
      reason:
        'Most of them take the orders of actors, ask the charts, and build the commit. It was 2,042 while values were copied inside and events made that nobody heard; 6 look whether anything is to leave the process. 60 went with the check of readings of our own clock, and 23 where a prompt is sent as it is; 57 more with definitions of tools that are worked out once, and with what is told where nobody listens. The same parts are 13 calls since. Every run stores its events, which was an option; marks and published results are entries of the log.',
    },
    copyingCalls: {
      name: 'calls in it that copy, freeze or serialise',
      limit: 139,
      asked: 115,
      measured: 135,
      reason:
        'An answer is copied where it comes in, its arguments once for each check of them, a result where the tool gives it; what a chart writes of a call and the head of a row are small copies. What is asked is 150 of 622, counted with those that only hand a value on; it was 473. The 13 questions whether an object is plain left the count, and not the turn, when others came to ask them too. The limit leaves room for one more copy, not for a habit. The marks of a turn and its published result are 28 of them.',
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FootprintLimit>>>>
