{{- define "allready.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 46 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 46 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 46 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "allready.labels" -}}
{{- include "allready.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* By these labels `allready uninstall` finds what it removes, whatever the objects are called. */ -}}
{{- define "allready.selector" -}}
app.kubernetes.io/name: allready
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "allready.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (printf "%s-controller" (include "allready.fullname" .)) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}

{{- /* The controller as a subject of a binding. */ -}}
{{- define "allready.subject" -}}
- kind: ServiceAccount
  name: {{ include "allready.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end }}

{{- /* The user that the controller is. */ -}}
{{- define "allready.controller" -}}
system:serviceaccount:{{ .Release.Namespace }}:{{ include "allready.serviceAccount" . }}
{{- end }}

{{- /* The user that a reporter is. */ -}}
{{- define "allready.user" -}}
system:serviceaccount:{{ .namespace }}:{{ .serviceAccount }}
{{- end }}

{{- /* The group of ConfigurationStatuses, without its version. */ -}}
{{- define "allready.group" -}}
{{- splitList "/" .Values.group | first -}}
{{- end }}

{{- /* The service accounts that are held to what their report says: all but those of Kubernetes that write objects of every kind. One
       takes owners and finalizers away that are gone, the other writes objects again as they are, in another version. */ -}}
{{- define "allready.isWorkload" -}}
request.userInfo.username.startsWith('system:serviceaccount:')
&& !(request.userInfo.username in ['system:serviceaccount:kube-system:generic-garbage-collector',
'system:serviceaccount:kube-system:storage-version-migrator-controller'])
{{- end }}

{{- /* The sources of clusters that are objects, as JSON: for secrets and profiles the namespaces in which they may be read. */ -}}
{{- define "allready.sources" -}}
{{- $found := dict "secrets" (list) "profiles" (list) -}}
{{- range .Values.hub.clusters -}}
{{- $words := splitn ":" 2 . -}}
{{- if hasKey $found $words._0 -}}
{{- $namespace := $.Release.Namespace -}}
{{- if $words._1 }}{{ $namespace = (splitn "/" 2 $words._1)._0 }}{{ end -}}
{{- $_ := set $found $words._0 (append (get $found $words._0) $namespace | uniq) -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end }}

{{- /* True where the ConfigurationStates of MetalLB are read as reports. */ -}}
{{- define "allready.hasMetalLB" -}}
{{- or (has "metallb" .Values.presets) (regexMatch "=preset:metallb" (join "," .Values.ensure)) -}}
{{- end }}
