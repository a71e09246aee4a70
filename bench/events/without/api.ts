import { ordersApi } from '../orders-api.ts'

export default ordersApi({})
