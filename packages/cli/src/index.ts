// Public surface of this package.
