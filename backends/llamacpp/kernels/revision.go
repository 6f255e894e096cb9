package kernels

// Revision numbers how fast the kernels are: it is raised with every change that makes them faster or slower, so that no
// calibration is taken from those before.
const Revision = 12
