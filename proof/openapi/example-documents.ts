import { fileURLToPath } from 'node:url'
import type { OpenApiOptions } from '../../src/adapters/tools/openapi.ts'

/** An example document, and what is special about it. */
export interface ExampleDocument {
  readonly name: string
  readonly path: string
  /** Credentials its operations ask for. */
  readonly options: Partial<OpenApiOptions>
  /** Operations whose valid call is not judged, by id, with the reason. */
  readonly excused: Readonly<Record<string, string>>
}

const bearer: Partial<OpenApiOptions> = { auth: { bearer: 'sesame' }, headers: { api_key: 'sesame' } }
const basic: Partial<OpenApiOptions> = { headers: { authorization: 'Basic c2VzYW1lOg==' } }

const noValueFits = 'no value fits its schema, which demands two types at once'
const quirks = Object.fromEntries(
  ['entirelyIncompatibleAllOf', 'incompatibleNestedAllOf', 'partiallyUsableIncompatibleAllOf'].map((name) => [
    `quirks_${name}`,
    noValueFits,
  ]),
)
const twoFit = 'the arguments made for it fit two branches of its oneOf'
const unions = Object.fromEntries(
  [
    'oneOfWithTopLevelDiscriminatorAndMapping',
    'oneOfWithTopLevelDiscriminatorNoMapping',
    'oneOfWithImproperlyPlacedDiscriminator',
  ].map((id) => [id, twoFit]),
)

/**
 * Every document of `@readme/oas-examples` in which an operation has an id, but for the two about styles of parameters:
 * Prism itself dies of an object in a path.
 */
export const exampleDocuments: readonly ExampleDocument[] = [
  example('3.0/json/circular-request-bodies', {
    excused: { directCircular: 'its body must hold itself, without an end' },
  }),
  example('3.0/json/discriminators', { excused: unions }),
  ...['form-data', 'link-example', 'petstore-expanded', 'petstore', 'readme-extensions'].map((name) =>
    example(`3.0/json/${name}`),
  ),
  example('3.0/json/readme-legacy', { options: basic }),
  ...['request-examples', 'response-http-behavior', 'schema-encoding-style', 'schema-enums'].map((name) =>
    example(`3.0/json/${name}`),
  ),
  example('3.0/json/schema-types', { excused: quirks }),
  example('3.0/json/uspto'),
  ...['petstore', 'readme-extensions'].map((name) => example(`3.1/json/${name}`)),
  example('3.1/json/readme', {
    excused: { askOwlbot: 'Prism checks a parameter named accept, which OpenAPI says is passed over' },
  }),
  example('3.1/json/schema-encoding-style'),
  example('3.1/json/schema-types', { excused: quirks }),
  example('3.1/json/train-travel'),
]

function example(path: string, { options = bearer, excused = {} }: Partial<ExampleDocument> = {}): ExampleDocument {
  const url = import.meta.resolve(`@readme/oas-examples/${path}.json`)
  return { name: path.replace('/json/', ' '), path: fileURLToPath(url), options, excused }
}
