import './copying.ts'
import './choosing.ts'
import './live.ts'
