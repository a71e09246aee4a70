import { registerHooks } from 'node:module'
import { z } from 'zod'
import { compileApi } from '../../compile/compile.ts'
import { api } from '../../declare/api.ts'
import { belongsTo } from '../../declare/relation.ts'
import { resource } from '../../declare/resource.ts'

/**
 * Does once what every declaration needs, while the process waits for one: Node's first import of TypeScript loads a large program, and code
 * that has run before is faster. Of a reload of 50 resources, this saves 80 of 250 ms of CPU time.
 */
export async function warmUp(): Promise<void> {
  compileApi(sample)
  await Promise.all([importTypeScript(), import('../../store/sqlite/open-sqlite.ts')])
}

const sampleUrl = 'nounkit:warm-up'

/** Imports a text instead of a file. Each text is different, because Node caches the outcome for a text that it knows. */
async function importTypeScript(): Promise<void> {
  const source = `// ${Date.now()}\n${typeScript}`
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === sampleUrl ? { url: sampleUrl, shortCircuit: true } : next(specifier, context),
    load: (url, context, next) =>
      url === sampleUrl ? { format: 'module-typescript', source, shortCircuit: true } : next(url, context),
  })
  try {
    await import(sampleUrl)
  } finally {
    hooks.deregister()
  }
}

/** Some of every kind of syntax. */
const typeScript = `
interface Named { readonly name: string }
export const shown = (one: Named, counts?: readonly number[]): string => \`\${one.name} \${counts as never}\`
export async function all<T extends Named>(list: T[]): Promise<void> {
  for (const one of list) if (/^a/.test(one.name)) await (one satisfies Named)
}
export default { fields: { name: { min: 1 }, kinds: ['a', 'b'] as const }, ...(true ? { more: 1 } : null) }
`

const samples = Array.from({ length: 8 }, (_, at) =>
  resource(`sample${at}s`, {
    fields: {
      name: z.string().min(1).max(200),
      note: z.string().optional(),
      amount: z.int().min(0).default(0),
      price: z.number().optional(),
      active: z.boolean().default(true),
      due: z.iso.date().optional(),
      kind: z.enum(['a', 'b', 'c']).default('a'),
      at: z.iso.datetime().optional(),
      tags: z.array(z.string()).max(10).optional(),
    },
    relations: { parent: belongsTo(`sample${at}s`, { optional: true }) },
    include: ['parent'],
    unique: ['name'],
    filter: ['name', 'kind', 'due'],
    sort: ['name', 'amount'],
  }),
)

const sample = api('sample', { resources: samples })
