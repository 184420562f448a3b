// @vitest-environment edge-runtime
import './upload.js'
