/**
 * The dictionary of packed documents: it says what the documents of most runs say. Rows cannot be read without it, so it is
 * never changed. Another one would be a second text, with a sign of its own.
 */
export const startingText = [
  '{"schema":1,"nextSeq":12,"root":{"status":"active","value":{"running":{"turn":"callingModel"}},"context":{"turn":1,',
  '"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0},"round":{"batches":[],"batch":0,',
  '"firsts":{}},"input":[]},"children":{"runningTime":{"src":"keepTime","snapshot":{"status":"active","key":"run_/1.1",',
  '"input":{"forMs":null}}},"modelCall":{"src":"modelCall","snapshot":{"status":"active","value":"calling",',
  '"context":{"turn":1},"children":{"callModel":{"src":"callModel","snapshot":{"status":"active","key":"run_/1.2",',
  '"input":{"turn":1,"isFinishing":false,"modelIndex":0,"failures":0,"continuations":0}}}}}}}}}',
  '"value":"waiting","context":{"turn":1,"elapsedMs":0,"since":1700000000000,"calls":{"1.call":{"callId":"1.call",',
  '"isExclusive":false,"blocksRun":true,"callHash":"","isHold":false,"status":"suspended","suspension":{"id":"sus_","reason":"approval"},',
  '"hasPlaceholder":false,"isReplay":false,"isPassed":true,"resultHash":null,"paths":[]}},',
  '"round":{"batches":[["1.call"]],"batch":0,"firsts":{"1.call":"suspended"}},"input":[],"outcome":{"reason":"suspended"}},',
  '"children":{"1.call":{"src":"toolCall","snapshot":{"status":"active","value":{"suspended":"resting"},',
  '"context":{"callId":"1.call","verdict":{"kind":"suspended","suspension":{"id":"sus_","reason":"approval"}},"effects":"none",',
  '"suspension":{"id":"sus_","reason":"approval"},"suspensions":1,"wasGated":true},"children":{"expiry":{"src":"sleep",',
  '"snapshot":{"status":"active","key":"run_/1.3","input":{"due":null}}}}}}}},"calls":{"1.call":{"suspension":{"id":"sus_',
].join('')
