import type { View } from './model.ts'

/** The paths of a view's rows, without the version: `/order-items` if there is one, then `/orders/{id}/items` for each owner. */
export const collectionPaths = ({ name, topLevel, under }: View): readonly string[] => [
  ...(topLevel ? [`/${name}`] : []),
  ...under.map((sub) => `/${sub.owner().name}/{id}/${sub.segment}`),
]
