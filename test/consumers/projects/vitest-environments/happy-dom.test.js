// @vitest-environment happy-dom
import './upload.js'
