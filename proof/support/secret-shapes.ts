/** A secret that no encoding leaves as it is. */
export const oddSecret = 'p@ss/w0rd+"ü" 12345'

/** A text that holds the secret in some form, and the letters of that form that nobody may see. */
export interface SecretShape {
  readonly what: string
  readonly text: string
  readonly hidden: string
}

const bytes = Buffer.from(oddSecret)
const base64 = bytes.toString('base64')
const inJson = JSON.stringify(oddSecret).slice(1, -1)
const percent = encodeURIComponent(oddSecret)

/** The secret as texts hold it that come from servers, files and commands. */
export const secretShapes: readonly SecretShape[] = [
  ['as it is', `is ${oddSecret} then`, oddSecret],
  ['twice', `${oddSecret}${oddSecret}`, oddSecret],
  ['in an assignment', `export X='${oddSecret}'`, oddSecret],
  ['in a header', `authorization: Bearer ${oddSecret}`, oddSecret],
  ['behind colours', `\u001b[31m${oddSecret}\u001b[0m`, oddSecret],
  ['between words without a blank', `x${oddSecret}x`, oddSecret],
  ['over two lines', `a\n${oddSecret}\nb`, oddSecret],
  ['in JSON', JSON.stringify({ a: oddSecret }), inJson],
  ['in JSON with its slashes escaped', `{"a":"${inJson.replaceAll('/', String.raw`\/`)}"}`, String.raw`p@ss\/w0rd`],
  ['in JSON of ASCII alone', `{"a":"${inJson.replace('ü', String.raw`\u00fc`)}"}`, String.raw`\u00fc`],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(oddSecret)), 'w0rd+'],
  ['in an address', `https://x.example/?q=${percent}&b=1`, percent],
  ['in an address with small digits', `?q=${percent.replaceAll(/%../g, (one) => one.toLowerCase())}`, 'p%40ss%2fw0rd'],
  ['in a form', `${new URLSearchParams({ q: oddSecret })}`, 'p%40ss%2Fw0rd'],
  ['as the password of an address', `http://me:${percent}@host`, percent],
  ['in base64', base64, base64.slice(0, 24)],
  ['in base64 with a line feed behind it', Buffer.from(`${oddSecret}\n`).toString('base64'), base64.slice(0, 24)],
  ['in base64 behind a user of three letters', behind('bob'), behind('bob').slice(6, 28)],
  ['in base64 behind a user of four letters', behind('mary'), behind('mary').slice(7, 28)],
  ['in base64 for addresses', bytes.toString('base64url'), bytes.toString('base64url').slice(0, 24)],
].map(([what = '', text = '', hidden = '']) => ({ what, text, hidden }))

function behind(user: string): string {
  return Buffer.from(`${user}:${oddSecret}`).toString('base64')
}
