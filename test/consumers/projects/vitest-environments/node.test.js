// @vitest-environment node
import './upload.js'
