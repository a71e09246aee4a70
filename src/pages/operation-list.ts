import type { Version } from '../compile/model.ts'

interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly 'x-codeSamples': readonly {
    readonly lang: string
    readonly source: string
  }[]
}

/** The parts of an OpenAPI document that pages show. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
}

interface ListedOperation {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

export const operationsOf = ({ paths }: Document, version: Version): readonly ListedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        path: `/${version.name}${path}`,
        method: method.toUpperCase(),
        operation,
      })),
  )
