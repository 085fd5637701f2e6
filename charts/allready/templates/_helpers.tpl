{{- define "allready.labels" -}}
app.kubernetes.io/name: allready
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "allready.selector" -}}
app.kubernetes.io/name: allready
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The user that the controller is. */ -}}
{{- define "allready.controller" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ .Release.Name }}-controller
{{- end }}

{{- /* The groups of the kinds without their versions, as a list in brackets. */ -}}
{{- define "allready.groups" -}}
[{{ range $i, $group := .Values.groups }}{{ if $i }}, {{ end }}{{ splitList "/" $group | first }}{{ end }}]
{{- end }}

{{- /* The parts of an expression that stand for the reporters of the values. */ -}}
{{- define "allready.user" -}}
system:serviceaccount:{{ .namespace }}:{{ .serviceAccount }}
{{- end }}
