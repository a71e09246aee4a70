import type { Resource } from '../compile/model.ts'

/** These resources in their order, but each after those that its rows must reference. A cycle of such references cannot be declared. */
export function inReferenceOrder(resources: Iterable<Resource>): readonly Resource[] {
  const asked = new Set(resources)
  const ordered = new Set<Resource>()
  const visit = (resource: Resource): void => {
    if (ordered.has(resource)) return
    for (const { target, optional } of resource.references) if (!optional) visit(target)
    ordered.add(resource)
  }
  for (const resource of asked) visit(resource)
  return [...ordered].filter((resource) => asked.has(resource))
}
