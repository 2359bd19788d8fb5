package infer

// Analyzers lists every analyzer.
var Analyzers = []*Analyzer{}
