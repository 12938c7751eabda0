import { describe, expect, test } from 'vitest'
import { mediaLimits } from '../../../src/core/domain/media.ts'
import { keptBlock, readBlock } from '../../../src/core/domain/read-block.ts'

const base64 = (bytes: string | readonly number[]) => Buffer.from(bytes as string, 'latin1').toString('base64')
const png = 'iVBORw0KGgo='
const pdf = base64('%PDF-1.7\n')
const zip = base64('PK\u0003\u0004rest')
const office = 'application/vnd.openxmlformats-officedocument.'
const file = (data: unknown, mediaType?: string, name?: string) => ({ type: 'file', data, mediaType, name })

describe('PRV-11 blocks from outside', () => {
  test.for<readonly [string, unknown, unknown]>([
    ['a text', { type: 'text', text: '' }, { type: 'text', text: '' }],
    [
      'our image',
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'image', data: png, mimeType: 'image/png' },
    ],
    [
      'the image of the AI SDK',
      { type: 'image', image: png, mediaType: 'image/png' },
      { type: 'image', data: png, mimeType: 'image/png' },
    ],
    ['an image without a type', { type: 'image', data: png }, { type: 'image', data: png, mimeType: 'image/png' }],
    [
      'a wrong label',
      { type: 'image', data: png, mimeType: 'image/jpeg' },
      { type: 'image', data: png, mimeType: 'image/png' },
    ],
    [
      'an address',
      { type: 'file', url: `data:image/jpeg;base64,${png}` },
      { type: 'image', data: png, mimeType: 'image/png' },
    ],
    ['a picture as a file', file(png, 'application/pdf', 'a.pdf'), { type: 'image', data: png, mimeType: 'image/png' }],
    [
      'the other alphabet',
      { type: 'image', data: '_9j_4AAQSkZJRg', mimeType: '' },
      { type: 'image', data: '/9j/4AAQSkZJRg==', mimeType: 'image/jpeg' },
    ],
    [
      'a PDF',
      file(pdf, 'application/pdf', 'a.pdf'),
      { type: 'file', data: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
    ],
    ['a PDF without a type', file(pdf), { type: 'file', data: pdf, mediaType: 'application/pdf' }],
    [
      'a PDF as an image',
      { type: 'image', data: pdf, mimeType: 'image/png' },
      { type: 'file', data: pdf, mediaType: 'application/pdf' },
    ],
    [
      'parameters of a type',
      file(base64('RIFFxxxxWAVE'), 'audio/wav; rate=8000'),
      { type: 'file', data: base64('RIFFxxxxWAVE'), mediaType: 'audio/wav' },
    ],
    [
      'a document by its name',
      file(zip, '', 'a.docx'),
      { type: 'file', data: zip, mediaType: `${office}wordprocessingml.document`, name: 'a.docx' },
    ],
    ['a file of text', file(base64('a,b'), 'text/csv', 'a.csv'), { type: 'text', text: '[File "a.csv"]\na,b' }],
    ['text without a type', file(base64('hi')), { type: 'text', text: 'hi' }],
    [
      'a text that names PDFs',
      file(base64('It begins with %PDF-.'), 'text/plain'),
      { type: 'text', text: 'It begins with %PDF-.' },
    ],
    [
      'an SVG with script',
      { type: 'image', data: base64('<svg><script>x()</script></svg>'), mimeType: 'image/svg+xml' },
      { type: 'text', text: '<svg><script>x()</script></svg>' },
    ],
    ['text in an address', { type: 'file', url: 'data:text/plain,a%20b' }, { type: 'text', text: 'a b' }],
    [
      'a name with folders',
      file(pdf, undefined, '../../etc/\u0000pass\u202ewd\n.pdf'),
      { type: 'file', data: pdf, mediaType: 'application/pdf', name: 'passwd.pdf' },
    ],
    [
      'a name of Windows',
      file(pdf, undefined, 'C:\\x\\a.pdf'),
      { type: 'file', data: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
    ],
    ['a name of dots', file(pdf, undefined, 'a/..'), { type: 'file', data: pdf, mediaType: 'application/pdf' }],
    [
      'a long name',
      file(pdf, undefined, `${'x'.repeat(300)}.pdf`),
      { type: 'file', data: pdf, mediaType: 'application/pdf', name: `${'x'.repeat(196)}.pdf` },
    ],
  ])('PRV-11 keeps %s', ([, given, block]) => {
    expect(readBlock(given)).toEqual({ block })
  })

  test.for<readonly [string, unknown, string | RegExp]>([
    ['nothing', null, 'it is not an object'],
    ['a text without text', { type: 'text', text: null }, 'its text is missing'],
    ['another type', { type: 'video', data: png }, /^expected \{ type: 'text', text \}, or/],
    ['a path', { type: 'file', path: '/etc/passwd' }, /^its bytes are missing: expected/],
    ['bytes as a list', file([1, 2]), /^its bytes are missing/],
    ['an empty file', file(''), 'it is empty'],
    ['an empty address', { type: 'file', url: 'data:application/pdf;base64,' }, /^its data is not base64/],
    ['blank text', file(base64(' \n'), 'text/plain'), 'it is empty'],
    [
      'an address elsewhere',
      { type: 'image', url: 'https://example.com/a.png' },
      'it is an address, and nothing is fetched',
    ],
    ['a file address', { type: 'file', url: 'file:///etc/passwd' }, 'it is an address, and nothing is fetched'],
    ['no base64', file('no base64!'), /^its data is not base64/],
    ['a cut address', { type: 'file', url: 'data:image/png' }, /^its data is not base64/],
    [
      'bytes that are no picture',
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      'it is not a PNG, JPEG, GIF or WebP image',
    ],
    [
      'a BMP',
      { type: 'image', data: base64('BM......'), mimeType: 'image/bmp' },
      'it is not a PNG, JPEG, GIF or WebP image',
    ],
    [
      'a PDF that is a ZIP',
      file(zip, 'application/pdf', 'a.pdf'),
      'it says application/pdf, and its bytes are a ZIP archive',
    ],
    ['a ZIP without a type', file(zip), 'its type is unknown, and its bytes are a ZIP archive'],
    [
      'a document that is no ZIP',
      file(base64('hi'), `${office}wordprocessingml.document`),
      /its bytes have another type$/,
    ],
    ['text that is not UTF-8', file('/w==', 'text/plain'), 'it says text/plain, and it is not UTF-8 text'],
    ['bytes without a type', file('AAAA'), 'its type is unknown, and it is not UTF-8 text'],
    ['no media type', file('AAAA', 'a"b/c'), 'its type "a\\"b/c" is not a media type'],
    [
      'a picture that is too large',
      {
        type: 'image',
        data: Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(mediaLimits.image)]).toString('base64'),
      },
      'it has 20000008 bytes, and at most 20000000 are kept',
    ],
    [
      'much more than is kept',
      file('A'.repeat(mediaLimits.file * 2 + 4)),
      /^it has 48000003 bytes, and at most 32000000 are kept$/,
    ],
  ])('PRV-11 refuses %s', ([, given, problem]) => {
    const { block, problem: said = '' } = readBlock(given)
    const isSaid = typeof problem === 'string' ? said === problem : problem.test(said)
    expect({ block, said, isSaid }).toEqual({ block: undefined, said, isSaid: true })
  })

  test('PRV-11 judges a block again after it has changed', () => {
    const block = { type: 'image', data: png, mimeType: 'image/png' }
    expect(readBlock(block).block).toBe(block)
    block.data = '%'
    expect(readBlock(block).problem).toMatch(/^its data is not base64/)
  })

  test('PRV-11 refuses a block whose bytes exceed the limit, and states the limit', () => {
    const large = Buffer.concat([Buffer.from(png, 'base64'), Buffer.alloc(mediaLimits.image)]).toString('base64')
    expect(readBlock(file(large)).problem).toBe('it has 20000008 bytes, and at most 20000000 are kept')
  })

  test('PRV-11 describes in a text a block that cannot be kept', () => {
    expect(keptBlock(file(zip, 'application/pdf\u0007', 'x/\u001b[2Ja.pdf'))).toEqual({
      type: 'text',
      text: '[A file "[2Ja.pdf" of type application/pdf was left out: it says application/pdf, and its bytes are a ZIP archive.]',
    })
  })
})
