/**
 * Most files, and most functions in them, that one run of two turns with one tool call may enter. Lower a number
 * when the count falls; whoever raises one adds a sentence here that says why.
 *
 * 62 files became 66, and 457 functions 421, when the charts' functions came to stand in one file for each
 * question a chart asks.
 *
 * 414 functions became 423 when documents were written down at each commit again: kept for later they hold on to the
 * machine they stand for, and turns took a fifth longer. 424 with the cache's hit rate on a run's result. 428 since a
 * call may be skipped: its chart asks first whether it is, and priority is judged apart from what follows from it.
 *
 * 59 files became 62, and 428 functions 468, when the charts came to be stepped by tables: they stand beside the
 * interpreter, whose own functions are not counted here, and a turn's charts take a fifth of the time. 478 since a drive
 * looks at its lease before each effect, and whether it has slept.
 *
 * 64 and 486 when the options a run is started with came to be checked: a misspelt one is refused by the same mechanism
 * as those of agents, tools, models and stores. 67 and 500 since whatever comes in is copied by one walk that knows its
 * limits, in place of two copies that trusted the stack.
 *
 * 67 files became 69, and 500 functions 506, with toolsets: tools are looked up in a registry that may be opened (three
 * functions), and an agent that can be closed knows which runs it drives (three).
 *
 * 71 and 520 since the running time is a timer of the chart: guards that ask whether it is over, its effect, the clock.
 *
 * 72 and 541 since the stored options are read one by one (seven functions), what an adapter gives is read once before it is
 * believed, and what became of calls is told before the wait it led to.
 *
 * 73 and 544 since what only Node has stands in a file of its own, so that the engine runs in a browser.
 *
 * 76 and 556 since a process has one drive of a run that all its `Run` objects share: storing, beginning and watching a
 * run are files of their own, a result carries the transcript, and closing can drain what is under way.
 *
 * 78 and 566 with the steps and retries of tools, whose files a plain turn enters once, and an agent that can be checked.
 *
 * 569 since a drive that leaves looks for effects on record that it never launched, and what is written leaves out their
 * keys (three functions).
 *
 * 79 and 573 since the agent looks which hooks it is given, and a tool whether its updates go past any.
 *
 * 91 and 632, filters, queues and hooks of the loop and what plugins ask of a model call included, since a drive knows where
 * its run comes from and stands in its turn, so that what was said between turns is told inside the next one; messages
 * that come whole begin and end; an answer under way is kept for who joins in its middle.
 *
 * 98 and 650, what others have added meanwhile included, since events are worked out before their commit, which may keep
 * them, and a log notes where it has what they tell (three files).
 *
 * 98 and 651 since the children of a live actor are changed in place.
 */
export const limits = { files: 98, functions: 651 }
