import type { Model, Resource } from '../compile/model.ts'

/** The resources that users declare, each after those that its rows must reference. A cycle of such references cannot be declared. */
export function inReferenceOrder(model: Model): readonly Resource[] {
  const ordered = new Set<Resource>()
  const visit = (resource: Resource): void => {
    if (ordered.has(resource)) return
    for (const { target, optional } of resource.belongsTo) if (!optional) visit(target)
    ordered.add(resource)
  }
  for (const resource of model.resources.values()) if (!resource.engineMade) visit(resource)
  return [...ordered]
}
