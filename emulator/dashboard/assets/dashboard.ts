import './copying.ts'
import './choosing.ts'
