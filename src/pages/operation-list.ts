import type { Version } from '../compile/model.ts'
import { codeBlock, inline, renderMarkdown } from './markdown.ts'
import { html, type Markup } from './markup.ts'

interface Operation {
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly 'x-codeSamples': readonly {
    readonly lang: string
    readonly label: string
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

/** Every operation with its samples, as plain HTML: the reference for readers without scripts. */
export const operationList = (openapi: object, version: Version): Markup => {
  const { info, tags } = openapi as Document
  const operations = operationsOf(openapi as Document, version)
  const section = ({ name, description }: Document['tags'][number]): Markup =>
    html`<h2 id="${name}">${name}</h2>
<p>${inline(description)}</p>
${operations.filter(({ operation }) => operation.tags.includes(name)).map(entry)}`
  return html`<div class="prose">
<h1>${info.title} ${version.name}</h1>
${renderMarkdown(info.description)}
<p>Everything about every operation stands in <a href="/${version.name}/openapi.json">the OpenAPI document</a>.</p>
${tags.map(section)}
</div>`
}

const entry = ({ path, method, operation }: ListedOperation): Markup =>
  html`<details><summary><code><b>${method}</b> ${path}</code> ${operation.summary}</summary>
<p>${inline(operation.description)}</p>
${operation['x-codeSamples'].map(({ label, source }) => html`<p>${label}</p>${codeBlock(source, label)}`)}
</details>`
