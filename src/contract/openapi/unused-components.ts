import type { DocumentPart } from './field-schemas.ts'

const prefix = '#/components/'

/** Removes components that nothing refers to. */
export const withoutUnused = (
  document: DocumentPart & { readonly components: DocumentPart },
): DocumentPart => {
  const { components, ...rest } = document
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string' && inner.startsWith(prefix) && !used.has(inner)) {
        used.add(inner)
        visit(componentAt(components, inner))
      } else visit(inner)
    }
  }
  visit(rest)
  const kept = Object.entries(components).map(([section, parts]) => [
    section,
    section === 'securitySchemes'
      ? parts
      : Object.fromEntries(
          Object.entries(parts as DocumentPart).filter(([name]) => used.has(`${prefix}${section}/${name}`)),
        ),
  ])
  return { ...rest, components: Object.fromEntries(kept) }
}

const componentAt = (components: DocumentPart, ref: string): unknown => {
  const [section = '', name = ''] = ref.slice(prefix.length).split('/')
  return (components[section] as DocumentPart | undefined)?.[name]
}
